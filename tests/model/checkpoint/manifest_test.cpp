#include "model/checkpoint/manifest.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "model/checkpoint/sha256.h"
#include "tests/support/message.h"

namespace mesita::checkpoint {
namespace {

using mesita::testing::contains;
using mesita::testing::message_of;

Manifest example() {
  Manifest manifest;
  manifest.form = Form::compact;
  manifest.parts["config.json"] = {12, sha256("a")};
  manifest.parts["tokenizer/tokenizer.model"] = {18446744073709551615U, sha256("b")};
  manifest.frozen = sha256("c");
  return manifest;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Manifest, TextIsTheDocumentedOne) {
  const std::string expected = R"({
  "format_version": 1,
  "form": "compact",
  "parts": {
    "config.json": {
      "bytes": 12,
      "sha256": ")" + sha256("a") +
                               R"("
    },
    "tokenizer/tokenizer.model": {
      "bytes": 18446744073709551615,
      "sha256": ")" + sha256("b") +
                               R"("
    }
  },
  "frozen": ")" + sha256("c") + R"(",
  "core": null
}
)";
  EXPECT_EQ(manifest_text(example()), expected);
}

TEST(Manifest, RoundTrip) {
  Manifest manifest = example();
  EXPECT_EQ(parse_manifest(manifest_text(manifest)), manifest);
  manifest = {};
  EXPECT_EQ(parse_manifest(manifest_text(manifest)), manifest);
}

TEST(Manifest, WrongTextsAreRefused) {
  const std::string text = manifest_text(example());
  const auto refused = [](const std::string& wrong, const std::string& part) {
    const std::string message = message_of<std::runtime_error>([&] { parse_manifest(wrong); });
    EXPECT_TRUE(contains(message, part)) << part << ": " << message;
    EXPECT_TRUE(message.starts_with("manifest.json")) << message;
  };
  refused("", "does not begin");
  refused("not JSON", "does not begin");
  refused("{}", "format_version");
  refused(replaced(text, "version\": 1", "version\": 2"), "use a newer mesita");
  refused(replaced(text, "compact", "dense"), "\"full\" or \"compact\"");
  refused(replaced(text, "\"core\"", "\"cores\""), "\"core\"");
  refused(replaced(text, "\"bytes\"", "\"byte\""), "\"bytes\"");
  refused(replaced(text, ": 12", ": -1"), "bytes");
  refused(replaced(text, ": 12", ": 1.5"), "bytes");
  refused(replaced(text, ": 12", ": 18446744073709551616"), "bytes");
  refused(replaced(text, sha256("a"), std::string(63, 'a')), "64 lower-case");
  refused(replaced(text, sha256("a"), std::string(64, 'A')), "64 lower-case");
  refused(replaced(text, sha256("c"), ""), "64 lower-case");
  refused(replaced(text, "config.json", "../config.json"), "no checkpoint has");
  refused(replaced(text, "\n}", "}"), "laid out");
  refused(text + "\n", "laid out");
  refused(replaced(text, ": 12", ": 12 "), "laid out");
  refused(replaced(text, "\"core\": null", "\"core\": null, \"core\": null"), "twice");
}

TEST(Manifest, EveryTruncationIsRefused) {
  const std::string text = manifest_text(example());
  for (size_t length = 0; length < text.size(); ++length) {
    EXPECT_THROW(parse_manifest(text.substr(0, length)), std::runtime_error) << length;
  }
}

TEST(Manifest, PartNames) {
  for (const char* name : {"config.json", "model.safetensors", "training_state.safetensors",
                           "tokenizer/tokenizer.model", "tokenizer/a", "tokenizer/A-z_0.9"}) {
    EXPECT_TRUE(is_part_name(name)) << name;
  }
  for (const char* name :
       {"", "manifest.json", "README.md", "config.json/", "/config.json", "tokenizer", "tokenizer/",
        "tokenizer/..", "tokenizer/.hidden", "tokenizer/a/b", "tokenizer//a", "tokenizer/a b",
        "tokenizer/\xc3\xa4", "../tokenizer/a", "Tokenizer/a", "tokenizer\\a", "tokenizer/a\n"}) {
    EXPECT_FALSE(is_part_name(name)) << name;
  }
  EXPECT_FALSE(is_part_name(std::string("tokenizer/a\0b", 13)));
  EXPECT_FALSE(is_part_name("tokenizer/" + std::string(256, 'a')));
}

}  // namespace
}  // namespace mesita::checkpoint
