#include "server/http/listener.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace mesita::http {

namespace {

constexpr int kBacklog = 1024;

std::string place(const std::string& host, int port) {
  return host + ":" + std::to_string(port);
}

int bound_port(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  if (getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  if (address.ss_family == AF_INET6) {
    return ntohs(reinterpret_cast<const sockaddr_in6*>(&address)->sin6_port);
  }
  return ntohs(reinterpret_cast<const sockaddr_in*>(&address)->sin_port);
}

/// A socket that listens at the address, or -1 with errno set.
int listen_at(const addrinfo& address) {
  const int socket = ::socket(address.ai_family, address.ai_socktype | SOCK_CLOEXEC, 0);
  if (socket < 0) return -1;
  const int on = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (::bind(socket, address.ai_addr, address.ai_addrlen) == 0 && ::listen(socket, kBacklog) == 0) {
    return socket;
  }
  const int reason = errno;
  ::close(socket);
  errno = reason;
  return -1;
}

}  // namespace

Listener::Listener(const std::string& host, int port) {
  addrinfo wanted{};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  const int failed = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found);
  if (failed != 0) {
    throw std::runtime_error("cannot listen on " + place(host, port) + ": " + gai_strerror(failed));
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> addresses(found, &freeaddrinfo);
  for (const addrinfo* address = found; address != nullptr && socket_ < 0;
       address = address->ai_next) {
    socket_ = listen_at(*address);
  }
  if (socket_ < 0) {
    const int reason = errno;
    throw std::runtime_error("cannot listen on " + place(host, port) + ": " +
                             std::generic_category().message(reason) +
                             (reason == EADDRINUSE ? ": another program has this port, choose one "
                                                     "with --port (0 takes a free one)"
                                                   : ""));
  }
  port_ = bound_port(socket_);
}

Listener::~Listener() {
  ::close(socket_);
}

std::optional<int> Listener::accept() {
  constexpr std::chrono::milliseconds kPause{20};
  while (!closed_) {
    const int socket = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket >= 0) {
      const int on = 1;
      setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
      return socket;
    }
    // Out of descriptors or memory, or a connection that failed before it was taken: neither is a
    // reason to stop listening.
    if (errno != EINTR && errno != ECONNABORTED && !closed_) std::this_thread::sleep_for(kPause);
  }
  return std::nullopt;
}

void Listener::close() {
  closed_ = true;
  ::shutdown(socket_, SHUT_RDWR);
}

}  // namespace mesita::http
