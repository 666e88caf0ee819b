#include "tokenizer/definition_json.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "tests/support/files.h"
#include "tests/support/message.h"
#include "tests/support/temporary_directory.h"

namespace mesita::tokenizer {
namespace {

std::string refusal(const std::string& content) {
  const testing::TemporaryDirectory folder;
  testing::write_file(folder / "x.json", content);
  const std::string message = testing::message_of<std::runtime_error>(
      [&] { read_json_definition(folder / "x.json", {"size"}); });
  EXPECT_TRUE(message.starts_with((folder / "x.json").string() + ": ") ||
              message == "(nothing was thrown)")
      << message;
  return message;
}

TEST(DefinitionJson, AcceptsFormatOne) {
  EXPECT_EQ(refusal(R"({"format": 1, "size": 3})"), "(nothing was thrown)");
  EXPECT_EQ(refusal(R"({"format": 1})"), "(nothing was thrown)");
}

TEST(DefinitionJson, RefusesOtherFiles) {
  using testing::contains;
  for (const char* bad : {"{", "hello", "\xFF\xFE", "{\"format\": 1}}", "{\"a\": \"\xFF\"}"}) {
    EXPECT_TRUE(contains(refusal(bad), "not valid JSON")) << bad;
  }
  EXPECT_TRUE(contains(refusal("[1]"), "expected a JSON object"));
  EXPECT_TRUE(contains(refusal("{}"), "\"format\" is missing"));
  EXPECT_TRUE(contains(refusal(R"({"format": "1"})"), "not a whole number"));
  EXPECT_TRUE(contains(refusal(R"({"format": 1.0})"), "not a whole number"));
  EXPECT_TRUE(contains(refusal(R"({"format": 2})"), "has format 2"));
  EXPECT_TRUE(contains(refusal(R"({"format": 1, "sise": 3})"), "unknown key \"sise\""));
}

}  // namespace
}  // namespace mesita::tokenizer
