#include "server/http/http_message.h"

#include <gtest/gtest.h>

namespace mesita::http {
namespace {

TEST(HttpMessage, ErrorsKeepStatusBodyAndHeaders) {
  const Response response = error_response(overloaded(3));
  EXPECT_EQ(response.status, 429);
  EXPECT_EQ(response.content_type, "application/json");
  EXPECT_EQ(response.headers[0].first, "Retry-After");
  EXPECT_EQ(Json::parse(response.body)["error"]["type"], "rate_limit_error");
}

TEST(HttpMessage, StreamsAreEventStreams) {
  const Response response = stream_response(nullptr);
  EXPECT_EQ(response.content_type, "text/event-stream");
  EXPECT_EQ(response.status, 200);
}

TEST(HttpMessage, JsonIsTextOfTheValue) {
  EXPECT_EQ(json_response({{"status", "ok"}}).body, R"({"status":"ok"})");
  EXPECT_EQ(client_gone_response().status, 499);
}

}  // namespace
}  // namespace mesita::http
