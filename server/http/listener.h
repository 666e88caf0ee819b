#pragma once

#include <atomic>
#include <optional>
#include <string>

namespace mesita::http {

/// A listening TCP socket. Bound with SO_REUSEADDR and not SO_REUSEPORT: a port that another server
/// holds is refused.
class Listener {
 public:
  /// Port 0 takes a free one. Throws std::runtime_error that names host, port and reason.
  Listener(const std::string& host, int port);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  int port() const { return port_; }
  int socket() const { return socket_; }
  /// Waits for a connection and returns its socket, which the caller closes. Nothing after close().
  std::optional<int> accept();
  /// Refuses new connections from now on and wakes accept(). Any thread.
  void close();

 private:
  int socket_ = -1;
  int port_ = 0;
  std::atomic<bool> closed_{false};
};

}  // namespace mesita::http
