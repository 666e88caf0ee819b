#include "model/checkpoint/strict_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tests/support/message.h"

namespace mesita::checkpoint {
namespace {

using mesita::testing::contains;
using mesita::testing::message_of;

TEST(StrictJson, ParsesAnObject) {
  const nlohmann::json json =
      parse_strict_json("{\"a\": {\"b\": [1, 2]}, \"c\": {\"b\": null}}\n", "f");
  EXPECT_EQ(json["a"]["b"][1], 2);
}

TEST(StrictJson, RefusesWhatReadersDisagreeAbout) {
  const std::string nul("{\"a\": 1\0}", 9);
  const std::vector<std::string> texts = {"",
                                          " {}",
                                          "\n{}",
                                          "\xef\xbb\xbf{}",
                                          "[]",
                                          "1",
                                          "{",
                                          "{\"a\": 1",
                                          "{} {}",
                                          "{}x",
                                          "{'a': 1}",
                                          "{\"a\": NaN}",
                                          "{\"a\":1,}",
                                          "{\"a\": 01}",
                                          "{\"a\": 1e999}",
                                          "{\"\xff\": 1}",
                                          "{\"a\": \"\xc3\"}",
                                          "{\"a\": 1, \"a\": 1}",
                                          "{\"a\": {\"b\": 1, \"b\": 2}}",
                                          "{\"\\u0061\": 1, \"a\": 1}",
                                          "{\"a\": [{\"b\": 1, \"b\": 1}]}",
                                          "// {}\n{}",
                                          "{/**/}",
                                          nul,
                                          std::string(1, '\0')};
  for (const std::string& text : texts) {
    const std::string message =
        message_of<std::runtime_error>([&] { parse_strict_json(text, "file"); });
    EXPECT_TRUE(message.starts_with("file ")) << text << ": " << message;
  }
}

TEST(StrictJson, DeepNestingIsRefusedWithoutRecursion) {
  for (const size_t depth : {20U, 1000U, 1000000U}) {
    const std::string text = "{\"a\":" + std::string(depth, '[');
    EXPECT_TRUE(
        contains(message_of<std::runtime_error>([&] { parse_strict_json(text, "f"); }), "deeply"));
  }
  EXPECT_NO_THROW(parse_strict_json("{\"a\":[[[[[]]]]]}", "f"));
}

TEST(StrictJson, SameKeyInDifferentObjectsIsFine) {
  EXPECT_NO_THROW(parse_strict_json("{\"a\":{\"a\":{\"a\":1}},\"b\":[{\"a\":1},{\"a\":2}]}", "f"));
}

}  // namespace
}  // namespace mesita::checkpoint
