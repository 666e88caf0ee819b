#include "tokenizer/text_segments.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/tokenizer/random_text.h"
#include "tokenizer/utf8.h"

namespace mesita::tokenizer {
namespace {

TEST(TextSegments, TakesAShortTextWhole) {
  EXPECT_EQ(first_segment("", 4), 0);
  EXPECT_EQ(first_segment("a b ", 4), 4);
}

TEST(TextSegments, CutsInFrontOfTheLastRunOfBlanks) {
  EXPECT_EQ(first_segment("aa bb cc", 4), 2);
  EXPECT_EQ(first_segment("aa bb cc", 5), 5);
  EXPECT_EQ(first_segment("aa bb cc", 6), 5);
  EXPECT_EQ(first_segment("aaa   bb", 5), 3);
  EXPECT_EQ(first_segment("a\n b ccc", 6), 4);
}

TEST(TextSegments, CutsBehindANewlineWhereNoBlankIs) {
  EXPECT_EQ(first_segment("aa\nbb\ncc", 5), 3);
  EXPECT_EQ(first_segment("aa\nbb\ncc", 6), 6);
  EXPECT_EQ(first_segment("   \nbbbb", 5), 4);
}

TEST(TextSegments, CutsBetweenCharactersAtLast) {
  EXPECT_EQ(first_segment("aaaaaaaa", 5), 5);
  EXPECT_EQ(first_segment("        ", 5), 5);
  EXPECT_EQ(first_segment("a\xF0\x9F\x98\x80\xF0\x9F\x98\x80", 6), 5);
}

TEST(TextSegments, AlwaysAdvancesByWholeCharacters) {
  std::mt19937 random(2);
  for (int round = 0; round < 300; ++round) {
    const std::string text = testing::random_text(random, 20);
    for (size_t limit = 4; limit < 20; ++limit) {
      for (size_t begin = 0; begin < text.size();) {
        const size_t length = first_segment(std::string_view(text).substr(begin), limit);
        ASSERT_GT(length, 0);
        ASSERT_LE(length, limit);
        ASSERT_EQ(find_invalid_utf8(text.substr(begin, length)), std::string::npos);
        begin += length;
      }
    }
  }
}

}  // namespace
}  // namespace mesita::tokenizer
