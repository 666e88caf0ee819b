#pragma once

#include <string>
#include <utility>
#include <vector>

#include "server/http/http_message.h"
#include "server/http/request_head.h"

namespace mesita::http {

/// What an HTTP server serves. Called from many threads.
class Application {
 public:
  virtual ~Application() = default;

  /// Decides about a request before its body is read; throws ApiError to refuse it.
  virtual void admit(const RequestHead& head) = 0;
  /// Answers an admitted request. `request` has method, path (decoded, as sent), body, id and
  /// client_gone. Does not throw.
  virtual Response answer(const RequestHead& head, Request request) = 0;
  /// Headers that every answer to this request has, refusals included.
  virtual std::vector<std::pair<std::string, std::string>> common_headers(
      const RequestHead& head) = 0;
};

}  // namespace mesita::http
