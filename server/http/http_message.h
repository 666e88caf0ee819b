#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/http/api_error.h"

namespace mesita::http {

/// A request as routes see it: framing, access and limits are checked.
struct Request {
  std::string method;  // HEAD arrives as GET
  std::string path;    // decoded; without query, and without /models/{id}
  std::string model;   // the id of /models/{id}/..., else empty
  std::string body;
  std::string id;  // x-request-id of the answer
  std::function<bool()> client_gone = [] { return false; };
};

/// The bytes of an answer that is produced while it is sent. Destroying it abandons the work.
class EventSource {
 public:
  virtual ~EventSource() = default;
  /// Waits a moment (at most some 100 ms) for something to send and puts it into `bytes`, which may
  /// stay empty. False: nothing will follow.
  virtual bool next(std::string& bytes) = 0;
};

struct Response {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  std::shared_ptr<EventSource> stream;  // instead of body, as text/event-stream
};

Response json_response(const Json& value);
/// The error's status, body and headers.
Response error_response(const ApiError& error);
/// For a client that left: status 499 and nothing.
Response client_gone_response();
Response stream_response(std::shared_ptr<EventSource> stream);

}  // namespace mesita::http
