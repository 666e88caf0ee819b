#include "server/http/token_logprob.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "tests/support/byte_tokenizer.h"

namespace mesita::http {
namespace {

using inference::Distribution;

constexpr auto kInside = tokenizer::Tokenizer::Place::inside;

/// Logits of 0 but for the ids given.
std::vector<float> logits_with(int64_t size, const std::map<int32_t, float>& values) {
  std::vector<float> logits(static_cast<size_t>(size), 0.0F);
  for (const auto& [id, value] : values) logits[static_cast<size_t>(id)] = value;
  return logits;
}

double largest(const TokenLogprob& token) {
  double value = -std::numeric_limits<double>::infinity();
  for (const auto& [text, logprob] : token.top) value = std::max(value, logprob);
  return value;
}

TEST(TokenLogprob, ChosenAndItsEntryAreTheSameDouble) {
  const testing::ByteTokenizer tokenizer;
  const auto logits = logits_with(tokenizer.size(), {{'a', 5.0F}, {'b', 4.3F}});
  const TokenLogprob best = token_logprob(Distribution(logits), 'a', 1, tokenizer, kInside);
  EXPECT_EQ(best.logprob.value(), largest(best));
  ASSERT_EQ(best.top.size(), 1u);
  const TokenLogprob second = token_logprob(Distribution(logits), 'b', 1, tokenizer, kInside);
  EXPECT_LT(second.logprob.value(), largest(second));
  ASSERT_EQ(second.top.size(), 2u) << "the chosen one comes on top of the alternatives";
  EXPECT_EQ(second.top[1], std::make_pair(std::string("b"), second.logprob.value()));
}

TEST(TokenLogprob, ZeroAlternativesLeaveTheChosenOne) {
  const testing::ByteTokenizer tokenizer;
  const auto logits = logits_with(tokenizer.size(), {});
  const TokenLogprob token = token_logprob(Distribution(logits), 'x', 0, tokenizer, kInside);
  ASSERT_EQ(token.top.size(), 1u);
  EXPECT_EQ(token.top[0].first, "x");
  EXPECT_NEAR(token.logprob.value(), -std::log(257.0), 1e-9);
}

TEST(TokenLogprob, EqualTextsCountOnceWithTheLargerValue) {
  const testing::ByteTokenizer tokenizer({"a", "a", "a", "b"});
  const auto logits =
      logits_with(tokenizer.size(),
                  {{'a', 3.0F}, {256, 9.0F}, {257, 8.0F}, {258, 7.0F}, {259, 6.0F}, {'c', 5.0F}});
  const TokenLogprob token = token_logprob(Distribution(logits), 'a', 3, tokenizer, kInside);
  std::vector<std::string> texts;
  for (const auto& [text, logprob] : token.top) texts.push_back(text);
  EXPECT_EQ(texts, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(token.top[0].second, Distribution(logits).logprob(256));
  EXPECT_LT(token.logprob.value(), token.top[0].second) << "not the most probable: not greedy";
}

TEST(TokenLogprob, AsksForAtMostWhatThereIs) {
  const std::unique_ptr<tokenizer::Tokenizer> tokenizer = tokenizer::make_idless_tokenizer(5);
  const std::vector<float> logits = {1, 2, 3, 4, 5};
  const TokenLogprob token = token_logprob(Distribution(logits), 0, 20, *tokenizer, kInside);
  ASSERT_EQ(token.top.size(), 5u);
  EXPECT_EQ(token.top[0],
            std::make_pair(std::string("token_id:4"), Distribution(logits).logprob(4)));
}

TEST(TokenLogprob, MinusInfinityBecomesAFiniteFloor) {
  const testing::ByteTokenizer tokenizer;
  const auto logits = logits_with(tokenizer.size(),
                                  {{'a', -std::numeric_limits<float>::infinity()}, {'b', -1e30F}});
  EXPECT_EQ(token_logprob(Distribution(logits), 'a', 0, tokenizer, kInside).logprob, kLogprobFloor);
  EXPECT_EQ(token_logprob(Distribution(logits), 'b', 0, tokenizer, kInside).logprob, kLogprobFloor);
}

TEST(TokenLogprob, ByteTokensAreShownEachByItself) {
  const testing::ByteTokenizer tokenizer;
  const auto logits = logits_with(tokenizer.size(), {{0xE2, 9.0F}, {0x82, 8.0F}, {0xAC, 7.0F}});
  const TokenLogprob token = token_logprob(Distribution(logits), 0xE2, 3, tokenizer, kInside);
  std::set<std::string> texts;
  for (const auto& [text, logprob] : token.top) texts.insert(text);
  EXPECT_EQ(texts, (std::set<std::string>{"bytes:\\xe2", "bytes:\\x82", "bytes:\\xac"}));
}

TEST(TokenLogprob, EqualTextsAreNotSearchedToTheEndOfTheVocabulary) {
  const testing::ByteTokenizer tokenizer(std::vector<std::string>(5000, "same"));
  std::vector<float> logits(static_cast<size_t>(tokenizer.size()), 1.0F);
  std::fill_n(logits.begin(), 256, 0.0F);
  const TokenLogprob token = token_logprob(Distribution(logits), 300, 2, tokenizer, kInside);
  ASSERT_EQ(token.top.size(), 1u) << "the other texts come after kMostLookedAt";
  EXPECT_EQ(token.top[0].first, "same");
}

TEST(TokenLogprob, AllTextsAreThoseOfTheTokensPlace) {
  const auto tokenizer = tokenizer::make_symbol_tokenizer({"a", "b"});
  const std::vector<float> logits = {1, 2};
  const auto texts = [&](tokenizer::Tokenizer::Place place) {
    std::set<std::string> keys;
    for (const auto& [text, value] :
         token_logprob(Distribution(logits), 0, 2, *tokenizer, place).top) {
      keys.insert(text);
    }
    return keys;
  };
  EXPECT_EQ(texts(tokenizer::Tokenizer::Place::start), (std::set<std::string>{"a", "b"}));
  EXPECT_EQ(texts(kInside), (std::set<std::string>{" a", " b"}));
}

}  // namespace
}  // namespace mesita::http
