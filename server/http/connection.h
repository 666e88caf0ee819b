#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace mesita::http {

/// How long a peer may take. Head and body are deadlines for the whole, not for one read: a client
/// that sends a byte now and then does not keep a thread.
struct Timeouts {
  std::chrono::milliseconds idle{5'000};   // between requests
  std::chrono::milliseconds head{10'000};  // first byte to empty line
  std::chrono::milliseconds body{60'000};
  std::chrono::milliseconds write{10'000};  // without progress
};

/// What else a connection's thread is needed for.
enum class Pressure {
  none,
  waiting,   // others wait for a thread: idle connections are closed
  stopping,  // the server stops: unfinished requests are given up too
};

/// Reading and writing on one connected socket, with deadlines. Bytes that arrive beyond a request
/// stay for the next one.
class Connection {
 public:
  /// `pressure` is asked while waiting. Does not own the socket.
  Connection(int socket, const Timeouts& timeouts, std::function<Pressure()> pressure);

  /// Waits for the first byte of a request; false when the peer left, was idle too long, or
  /// under any pressure.
  bool wait_for_request();
  /// Reads up to and with the empty line. Nothing when the peer left in between. Throws ApiError
  /// 408 at the deadline and 431 beyond `max_head` bytes.
  std::optional<std::string> read_head(size_t max_head);
  /// Puts bytes before all that will be read, and starts the body's deadline.
  void begin_body(std::string_view head);
  /// Up to `size` bytes: 0 when the peer has finished, -1 on errors and at the deadline.
  ssize_t read(char* data, size_t size);
  /// Whether a read ran into the deadline.
  bool late() const { return late_; }

  /// Sends all of it, or -1 (peer gone, or no progress within the limit).
  ssize_t write(const char* data, size_t size);
  /// Whether the peer has closed, or half-closed, the connection.
  bool peer_gone() const;
  /// Ends sending and reads what still comes for a moment, so that the peer gets the last answer
  /// rather than a reset.
  void linger();

 private:
  using Clock = std::chrono::steady_clock;
  enum class Ready { yes, no, failed };
  Ready wait_readable(std::chrono::milliseconds time) const;
  /// Appends what the socket has to buffer_; 0 at the end, -1 on errors.
  ssize_t fill();
  std::string_view received() const { return std::string_view(buffer_).substr(position_); }

  int socket_;
  Timeouts timeouts_;
  std::function<Pressure()> pressure_;
  std::string buffer_;  // received; taken up to position_
  size_t position_ = 0;
  Clock::time_point deadline_;
  bool late_ = false;
};

}  // namespace mesita::http
