#include "server/evaluation/score.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mesita::evaluation {
namespace {

TextScore text_of(const std::vector<double>& nats, int64_t skipped = 0) {
  TextScore text;
  text.tokens.resize(static_cast<size_t>(skipped));
  for (const double value : nats) {
    text.tokens.push_back({.id = 0, .begin = 0, .end = 0, .nats = value});
    text.sums.nats += value;
  }
  text.sums.scored_tokens = static_cast<int64_t>(nats.size());
  text.sums.skipped_tokens = skipped;
  text.sums.tokens = text.sums.scored_tokens + skipped;
  return text;
}

TEST(Score, DerivedNumbers) {
  const Score score{.tokens = 5,
                    .scored_tokens = 4,
                    .skipped_tokens = 1,
                    .bytes = 16,
                    .words = 3,
                    .nats = 8 * std::log(2.0)};
  EXPECT_DOUBLE_EQ(score.nats_per_token(), 2 * std::log(2.0));
  EXPECT_DOUBLE_EQ(score.bits_per_token(), 2.0);
  EXPECT_DOUBLE_EQ(score.bits_per_byte(), 0.5);
  EXPECT_DOUBLE_EQ(score.perplexity(), 4.0);
}

TEST(Score, NothingScoredHasNoRatios) {
  const Score empty;
  EXPECT_TRUE(std::isnan(empty.nats_per_token()));
  EXPECT_TRUE(std::isnan(empty.bits_per_token()));
  EXPECT_TRUE(std::isnan(empty.bits_per_byte()));
  EXPECT_TRUE(std::isnan(empty.perplexity()));
}

TEST(Score, AddSumsEveryField) {
  Score sum{
      .tokens = 1, .scored_tokens = 2, .skipped_tokens = 3, .bytes = 4, .words = 5, .nats = 6};
  sum.add({.tokens = 10,
           .scored_tokens = 20,
           .skipped_tokens = 30,
           .bytes = 40,
           .words = 50,
           .nats = 60});
  EXPECT_EQ(sum.tokens, 11);
  EXPECT_EQ(sum.scored_tokens, 22);
  EXPECT_EQ(sum.skipped_tokens, 33);
  EXPECT_EQ(sum.bytes, 44);
  EXPECT_EQ(sum.words, 55);
  EXPECT_EQ(sum.nats, 66.0);
}

TEST(StandardErrors, HandComputed) {
  // Tokens 1 2 3 | 6: mean 3, squares 4 + 1 + 0 + 9 = 14, sqrt(14 / 3 / 4).
  // Texts: rests 6 - 9 = -3 and 6 - 3 = 3, sqrt(2 / 1 * 18) / 4 = 1.5.
  const StandardErrors errors = standard_errors({text_of({1, 2, 3}, 1), text_of({6})});
  EXPECT_DOUBLE_EQ(errors.over_tokens, std::sqrt(14.0 / 12.0));
  EXPECT_DOUBLE_EQ(errors.over_texts, 1.5);
}

TEST(StandardErrors, TextsOfOneTokenAgreeWithTokens) {
  // Then both samples are the same and the ratio estimator is the mean.
  const StandardErrors errors =
      standard_errors({text_of({0.5}), text_of({2.25}), text_of({3}), text_of({1})});
  EXPECT_DOUBLE_EQ(errors.over_texts, errors.over_tokens);
  EXPECT_GT(errors.over_tokens, 0.0);
}

TEST(StandardErrors, TextsWithoutScoredTokensAreNoObservations) {
  const std::vector<TextScore> texts = {text_of({1, 2}), text_of({4})};
  std::vector<TextScore> padded = texts;
  padded.push_back(text_of({}, 1));
  padded.emplace_back();
  EXPECT_EQ(standard_errors(padded).over_texts, standard_errors(texts).over_texts);
  EXPECT_EQ(standard_errors(padded).over_tokens, standard_errors(texts).over_tokens);
}

TEST(StandardErrors, FewerThanTwoIsZero) {
  EXPECT_EQ(standard_errors({}).over_tokens, 0.0);
  EXPECT_EQ(standard_errors({}).over_texts, 0.0);
  EXPECT_EQ(standard_errors({text_of({3})}).over_tokens, 0.0);
  EXPECT_EQ(standard_errors({text_of({3, 4})}).over_texts, 0.0);
  EXPECT_GT(standard_errors({text_of({3, 4})}).over_tokens, 0.0);
}

TEST(Words, RunsOfNonWhiteSpace) {
  EXPECT_EQ(count_words(""), 0);
  EXPECT_EQ(count_words(" \t\r\n\v\f"), 0);
  EXPECT_EQ(count_words("one"), 1);
  EXPECT_EQ(count_words("  one  two\n\nthree, "), 3);
  EXPECT_EQ(count_words("Él—sí"), 1);
}

TEST(Words, UnicodeWhiteSpace) {
  for (const char* white : {"\u0085", "\u00A0", "\u1680", "\u2000", "\u200A", "\u2028", "\u2029",
                            "\u202F", "\u205F", "\u3000"}) {
    EXPECT_EQ(count_words(std::string("a") + white + white + "b"), 2) << white;
  }
  // Near misses: zero-width space, word joiner, Mongolian vowel separator, no-break U+FEFF, and
  // characters that share a first byte.
  for (const char* other : {"\u200B", "\u2060", "\u180E", "\uFEFF", "\u00A1", "\u2010", "\u3001"}) {
    EXPECT_EQ(count_words(std::string("a") + other + "b"), 1) << other;
  }
}

}  // namespace
}  // namespace mesita::evaluation
