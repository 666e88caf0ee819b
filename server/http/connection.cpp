#include "server/http/connection.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "server/http/api_error.h"
#include "server/http/request_head.h"

namespace mesita::http {

namespace {

using std::chrono::milliseconds;

/// Waits are cut into slices so that the pressure is asked for.
constexpr milliseconds kSlice{50};

}  // namespace

Connection::Connection(int socket, const Timeouts& timeouts, std::function<Pressure()> pressure)
    : socket_(socket), timeouts_(timeouts), pressure_(std::move(pressure)) {}

Connection::Ready Connection::wait_readable(milliseconds time) const {
  pollfd poll_for{socket_, POLLIN, 0};
  const int ready = ::poll(&poll_for, 1, static_cast<int>(std::max<int64_t>(0, time.count())));
  if (ready < 0) return errno == EINTR ? Ready::no : Ready::failed;
  return ready == 0 ? Ready::no : Ready::yes;
}

ssize_t Connection::fill() {
  std::array<char, 16384> bytes;
  const ssize_t size = ::recv(socket_, bytes.data(), bytes.size(), 0);
  if (size <= 0) return size;
  buffer_.erase(0, position_);
  position_ = 0;
  buffer_.append(bytes.data(), static_cast<size_t>(size));
  return size;
}

bool Connection::wait_for_request() {
  const auto until = Clock::now() + timeouts_.idle;
  while (received().empty()) {
    if (pressure_() != Pressure::none || Clock::now() >= until) return false;
    const Ready ready = wait_readable(kSlice);
    if (ready == Ready::failed) return false;
    if (ready == Ready::yes && fill() <= 0) return false;
  }
  return true;
}

std::optional<std::string> Connection::read_head(size_t max_head) {
  const auto until = Clock::now() + timeouts_.head;
  size_t searched = 0;
  while (true) {
    // Empty lines before a request line are skipped (RFC 9112, section 2.2).
    while (received().starts_with("\r\n")) position_ += 2;
    const size_t size = head_size(received(), std::min(searched, received().size()));
    if (size != std::string::npos && size <= max_head) {
      std::string head(received().substr(0, size));
      position_ += size;
      return head;
    }
    if (size != std::string::npos || received().size() > max_head) {
      throw ApiError(431, "invalid_request_error",
                     "the request head is longer than " + std::to_string(max_head) + " bytes");
    }
    searched = received().size() < 3 ? 0 : received().size() - 3;
    if (Clock::now() >= until) {
      throw ApiError(408, "invalid_request_error", "the request head did not arrive in time");
    }
    if (pressure_() == Pressure::stopping) return std::nullopt;
    const Ready ready = wait_readable(kSlice);
    if (ready == Ready::failed) return std::nullopt;
    if (ready == Ready::yes && fill() <= 0) return std::nullopt;
  }
}

void Connection::begin_body(std::string_view head) {
  buffer_.replace(0, position_, head);
  position_ = 0;
  deadline_ = Clock::now() + timeouts_.body;
  late_ = false;
}

ssize_t Connection::read(char* data, size_t size) {
  while (received().empty()) {
    if (pressure_() == Pressure::stopping) return -1;
    if (Clock::now() >= deadline_) {
      late_ = true;
      return -1;
    }
    const Ready ready = wait_readable(kSlice);
    if (ready == Ready::failed) return -1;
    if (ready == Ready::yes) {
      const ssize_t filled = fill();
      if (filled <= 0) return filled;
    }
  }
  const size_t taken = std::min(size, received().size());
  std::memcpy(data, received().data(), taken);
  position_ += taken;
  return static_cast<ssize_t>(taken);
}

ssize_t Connection::write(const char* data, size_t size) {
  size_t sent = 0;
  while (sent < size) {
    const ssize_t now = ::send(socket_, data + sent, size - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (now >= 0) {
      sent += static_cast<size_t>(now);
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return -1;
    pollfd poll_for{socket_, POLLOUT, 0};
    const int ready = ::poll(&poll_for, 1, static_cast<int>(timeouts_.write.count()));
    if (ready == 0 || (ready < 0 && errno != EINTR)) return -1;
  }
  return static_cast<ssize_t>(size);
}

bool Connection::peer_gone() const {
  pollfd poll_for{socket_, POLLRDHUP, 0};
  return ::poll(&poll_for, 1, 0) > 0;
}

void Connection::linger() {
  constexpr milliseconds kLinger{1'000};
  ::shutdown(socket_, SHUT_WR);
  const auto until = Clock::now() + kLinger;
  while (Clock::now() < until && pressure_() == Pressure::none) {
    const Ready ready = wait_readable(kSlice);
    if (ready == Ready::failed) return;
    if (ready == Ready::no) continue;
    position_ = buffer_.size();  // drop it
    if (fill() <= 0) return;
  }
}

}  // namespace mesita::http
