#include "server/http/http_message.h"

namespace mesita::http {

Response json_response(const Json& value) {
  Response response;
  response.body = to_text(value);
  return response;
}

Response error_response(const ApiError& error) {
  Response response;
  response.status = error.status();
  response.body = to_text(error.body());
  response.headers = error.headers();
  return response;
}

Response client_gone_response() {
  Response response;
  response.status = 499;
  return response;
}

Response stream_response(std::shared_ptr<EventSource> stream) {
  Response response;
  response.content_type = "text/event-stream";
  response.stream = std::move(stream);
  response.headers.emplace_back("Cache-Control", "no-cache");
  response.headers.emplace_back("X-Accel-Buffering", "no");
  return response;
}

}  // namespace mesita::http
