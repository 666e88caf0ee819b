#include "tokenizer/utf8.h"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>

#include "tests/support/message.h"
#include "tests/tokenizer/random_text.h"

namespace mesita::tokenizer {
namespace {

using testing::append_character;

const std::string kReplacement = "\xEF\xBF\xBD";

std::string replacements(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += kReplacement;
  return text;
}

TEST(Utf8, AcceptsEveryCodePointAndNoSurrogate) {
  for (uint32_t code = 0; code <= 0x10FFFF; ++code) {
    std::string text = "a";
    append_character(text, code);
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    ASSERT_EQ(find_invalid_utf8(text), surrogate ? 1 : std::string::npos) << code;
  }
}

TEST(Utf8, FindsTheFirstInvalidByte) {
  const std::string ascii(100, 'x');
  EXPECT_EQ(find_invalid_utf8(""), std::string::npos);
  EXPECT_EQ(find_invalid_utf8(ascii), std::string::npos);
  EXPECT_EQ(find_invalid_utf8(ascii + "\x80"), 100);
  EXPECT_EQ(find_invalid_utf8(ascii + "\xC3"), 100);
  EXPECT_EQ(find_invalid_utf8("\xC3\xA9\xFF"), 2);
  EXPECT_EQ(find_invalid_utf8("\xC0\x80"), 0);                  // overlong NUL
  EXPECT_EQ(find_invalid_utf8("ab\xF4\x90\x80\x80"), 2);        // U+110000
  EXPECT_EQ(find_invalid_utf8("\xED\x9F\xBF\xED\xA0\x80"), 3);  // U+D7FF, then a surrogate
}

TEST(Utf8, NamesTheByte) {
  EXPECT_NO_THROW(require_utf8("fine \xC3\xA9", "prompt"));
  const std::string message =
      testing::message_of<std::invalid_argument>([] { require_utf8("abc\xFF", "prompt"); });
  EXPECT_EQ(message, "prompt is not valid UTF-8 at byte 3 of 4");
}

// The tables 3-8 to 3-11 of the Unicode standard, chapter 3, "U+FFFD substitution of maximal
// subparts".
TEST(Utf8, ReplacesMaximalSubparts) {
  EXPECT_EQ(replace_invalid_utf8("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"), replacements(8) + "A");
  EXPECT_EQ(replace_invalid_utf8("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"), replacements(8) + "A");
  EXPECT_EQ(replace_invalid_utf8("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42"),
            replacements(5) + "A" + replacements(2) + "B");
  EXPECT_EQ(replace_invalid_utf8("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), replacements(4) + "A");
  EXPECT_EQ(replace_invalid_utf8("caf\xC3\xA9 \xF0\x9F\x98"), "caf\xC3\xA9 " + kReplacement);
}

TEST(Utf8, HoldsBackWhatMayBecomeACharacter) {
  EXPECT_EQ(whole_characters(""), 0);
  EXPECT_EQ(whole_characters("abc"), 3);
  EXPECT_EQ(whole_characters("a\xC3"), 1);
  EXPECT_EQ(whole_characters("a\xE2\x96"), 1);
  EXPECT_EQ(whole_characters("a\xF0\x9F\x98"), 1);
  EXPECT_EQ(whole_characters("a\xF0\x9F\x98\x80"), 5);
  EXPECT_EQ(whole_characters("a\xE0\x80"), 3);  // overlong: never a character
  EXPECT_EQ(whole_characters("a\xED\xA0"), 3);  // a surrogate
  EXPECT_EQ(whole_characters("a\x80\x80"), 3);
  EXPECT_EQ(whole_characters("\xFF"), 1);
}

TEST(Utf8, ReplacingInPartsIsReplacingWhole) {
  std::mt19937 random(1);
  const std::string bytes =
      "\xC0\xC2\xE0\xE2\xED\xEF\xF0\xF4\xF5\xFF\x80\x8F\x90\x9F\xA0\xBF"
      "az";
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (size_t i = random() % 12; i > 0; --i) text += bytes[random() % bytes.size()];
    for (size_t cut = 0; cut <= text.size(); ++cut) {
      const size_t whole = whole_characters(text.substr(0, cut));
      EXPECT_LE(cut - whole, 3);
      ASSERT_EQ(
          replace_invalid_utf8(text.substr(0, whole)) + replace_invalid_utf8(text.substr(whole)),
          replace_invalid_utf8(text));
    }
    ASSERT_EQ(find_invalid_utf8(replace_invalid_utf8(text)), std::string::npos);
    ASSERT_EQ(replace_invalid_utf8(text) == text, find_invalid_utf8(text) == std::string::npos);
  }
}

TEST(Utf8, CutsInFrontOfACharacter) {
  const std::string text = "a\xF0\x9F\x98\x80z";
  EXPECT_EQ(floor_to_character(text, 0), 0);
  EXPECT_EQ(floor_to_character(text, 1), 1);
  for (size_t limit = 2; limit <= 4; ++limit) EXPECT_EQ(floor_to_character(text, limit), 1);
  EXPECT_EQ(floor_to_character(text, 5), 5);
  EXPECT_EQ(floor_to_character(text, 99), 6);
}

}  // namespace
}  // namespace mesita::tokenizer
