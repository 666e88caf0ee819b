#include "server/http/json_body.h"

#include <gtest/gtest.h>

#include "server/http/api_error.h"
#include "tests/support/message.h"

namespace mesita::http {
namespace {

using testing::contains;
using testing::message_of;

std::string refusal(const std::string& body) {
  return message_of<ApiError>([&] { parse_body(body); });
}

std::string nested(size_t depth) {
  return "{\"a\":" + std::string(depth, '[') + std::string(depth, ']') + "}";
}

TEST(JsonBody, AcceptsAnObject) {
  EXPECT_EQ(parse_body(R"({"a": [1, {"b": "é"}], "c": null})")["a"][0], 1);
  EXPECT_EQ(parse_body("{}").size(), 0u);
  EXPECT_EQ(parse_body(R"({"a": "\u0000"})")["a"].get<std::string>(), std::string(1, '\0'));
}

TEST(JsonBody, RefusesWhatIsNoObject) {
  EXPECT_TRUE(contains(refusal(""), "empty"));
  for (const auto* body : {"null", "[]", "1", "\"text\"", "true"}) {
    EXPECT_TRUE(contains(refusal(body), "must be a JSON object")) << body;
  }
}

TEST(JsonBody, RefusesBadText) {
  EXPECT_TRUE(contains(refusal("\xEF\xBB\xBF{}"), "byte order mark"));
  EXPECT_TRUE(contains(refusal("{\"a\": \"\xC4\xE3\"}"), "not valid UTF-8 at byte 7"));
  for (const auto* body : {"{", "{\"a\":}", "{\"a\":1}x", "{'a':1}", "{\"a\":NaN}",
                           "{\"a\":Infinity}", R"({"a":"\ud800"})", "{\"a\":01}", "\0"}) {
    EXPECT_TRUE(contains(refusal(body), "not valid JSON") || contains(refusal(body), "empty"))
        << body;
  }
  EXPECT_TRUE(contains(refusal(std::string("\0{}", 3)), "not valid JSON"));
}

TEST(JsonBody, RefusesNumbersOutOfRange) {
  EXPECT_TRUE(contains(refusal("{\"a\":1e999}"), "out of range"));
  EXPECT_TRUE(contains(refusal("{\"a\":" + std::string(400, '9') + "}"), "out of range"));
}

TEST(JsonBody, RefusesDuplicateKeysAtAnyDepth) {
  EXPECT_TRUE(contains(refusal(R"({"n": 1, "n": 2})"), "\"n\" appears twice"));
  EXPECT_TRUE(contains(refusal(R"({"a": [{"b": 1, "b": 1}]})"), "\"b\" appears twice"));
  EXPECT_NO_THROW(parse_body(R"({"a": {"a": 1}, "b": {"a": 2}})"));
}

TEST(JsonBody, BoundsNesting) {
  EXPECT_NO_THROW(parse_body(nested(kMaxDepth - 1)));
  EXPECT_TRUE(contains(refusal(nested(kMaxDepth)), "nests more than"));
  EXPECT_TRUE(contains(refusal(nested(1'000'000)), "nests more than"));
  EXPECT_TRUE(contains(refusal("{\"a\":" + std::string(1'000'000, '[')), "nests more than"));
}

TEST(JsonBody, BoundsContainers) {
  std::string body = "{\"a\":[";
  for (int i = 0; i < kMaxContainers; ++i) body += "[],";
  EXPECT_TRUE(contains(refusal(body + "1]}"), "holds more than"));
}

TEST(JsonBody, RepeatsLongKeysInPart) {
  const std::string key(1'000'000, 'k');
  try {
    parse_body("{\"" + key + "\": 1, \"" + key + "\": 2}");
    FAIL();
  } catch (const ApiError& error) {
    EXPECT_LT(to_text(error.body()).size(), 400u);
    EXPECT_EQ(error.param(), excerpt(key));
  }
}

}  // namespace
}  // namespace mesita::http
