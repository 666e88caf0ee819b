#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "server/http/application.h"
#include "server/http/connection.h"
#include "server/http/request_head.h"

namespace mesita::http {

struct ServerOptions {
  std::string host = "127.0.0.1";
  int port = 0;  // 0: a free one
  RequestLimits limits;
  Timeouts timeouts;
  size_t max_connections = 256;  // each has a thread while it is open
  size_t max_waiting = 256;      // connections that wait for a thread; more are closed
  size_t requests_per_connection = 1000;
  std::chrono::milliseconds ping{15'000};  // silence in a stream until a comment is sent
};

/// Speaks HTTP/1.1 for an application. Request heads are read and judged here before cpp-httplib,
/// which reads bodies and writes answers, sees a head of our own making: nothing a client writes
/// there reaches it.
class HttpServer {
 public:
  /// Binds and listens. Throws std::runtime_error when that fails. `application` must outlive this.
  HttpServer(const ServerOptions& options, Application& application);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const;
  /// Answers connections in threads of its own from now on.
  void start();
  /// Takes no more connections and requests, waits for the answers in progress, ends the threads.
  /// Whoever wants those to end soon ends the work behind them first.
  void stop();

 private:
  class Transport;
  std::unique_ptr<Transport> transport_;
};

}  // namespace mesita::http
