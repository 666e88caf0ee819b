#include "server/http/token_text.h"

#include <gtest/gtest.h>

#include "tests/support/byte_tokenizer.h"

namespace mesita::http {
namespace {

using Place = tokenizer::Tokenizer::Place;

TEST(TokenText, WholeCharactersAreThemselves) {
  EXPECT_EQ(token_text(" that"), " that");
  EXPECT_EQ(token_text("é"), "é");
  EXPECT_EQ(token_text(""), "");
  EXPECT_EQ(token_text(std::string_view("\0", 1)), std::string(1, '\0'));
}

TEST(TokenText, OtherBytesAreSpelled) {
  EXPECT_EQ(token_text("\xF0\x9F"), "bytes:\\xf0\\x9f");
  EXPECT_EQ(token_text("a\x80"), "bytes:\\x61\\x80");
  EXPECT_EQ(token_text("\xED\xA0\x80"), "bytes:\\xed\\xa0\\x80");  // a surrogate
}

TEST(TokenText, EveryByteHasItsOwnTextAndSpecialsNone) {
  const testing::ByteTokenizer tokenizer;
  EXPECT_EQ(token_text(tokenizer, 'a', Place::inside), "a");
  EXPECT_EQ(token_text(tokenizer, 0xE2, Place::inside), "bytes:\\xe2");
  EXPECT_NE(token_text(tokenizer, 0xE2, Place::inside), token_text(tokenizer, 0xE3, Place::inside));
  EXPECT_EQ(token_text(tokenizer, tokenizer.end(), Place::inside), "");
}

TEST(TokenText, WithoutTextTokensAreSpelledByTheirIds) {
  const auto tokenizer = tokenizer::make_idless_tokenizer(20);
  EXPECT_EQ(token_text(*tokenizer, 7, Place::start), "token_id:7");
  EXPECT_EQ(token_text(*tokenizer, 19, Place::inside), "token_id:19");
}

}  // namespace
}  // namespace mesita::http
