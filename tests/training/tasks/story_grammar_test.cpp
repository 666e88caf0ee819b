#include "training/tasks/story_grammar.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

namespace mesita::training {
namespace {

TEST(StoryGrammar, HasAboutSixtyWordsAndRoomForWholeStories) {
  const RuleGrammar& grammar = story_grammar();
  EXPECT_GE(grammar.symbols().size(), 40u);
  EXPECT_LE(grammar.symbols().size(), 80u);
  EXPECT_LE(grammar.longest_document(), 97);
}

TEST(StoryGrammar, MonteCarloAgreesWithTheExactEntropy) {
  const RuleGrammar& grammar = story_grammar();
  constexpr int kStories = 20000;
  double sum = 0.0, squares = 0.0, symbols = 0.0;
  for (int i = 0; i < kStories; ++i) {
    const auto nats = grammar.surprisals(grammar.document(3, static_cast<uint64_t>(i)));
    const double total = std::accumulate(nats.begin(), nats.end(), 0.0);
    sum += total;
    squares += total * total;
    symbols += static_cast<double>(nats.size());
  }
  const double mean = sum / kStories;
  const double error = std::sqrt((squares / kStories - mean * mean) / kStories);
  EXPECT_NEAR(mean, grammar.entropy(), 4 * error);
  EXPECT_LT(error, 0.005 * grammar.entropy());
  EXPECT_NEAR(symbols / kStories, grammar.mean_symbols(), 0.01 * grammar.mean_symbols());
}

TEST(StoryGrammar, StoriesAreBoundedAndUseEveryWord) {
  const RuleGrammar& grammar = story_grammar();
  std::set<int32_t> seen;
  size_t longest = 0;
  for (uint64_t i = 0; i < 5000; ++i) {
    const auto story = grammar.document(1, i);
    EXPECT_EQ(story.front(), RuleGrammar::kStart);
    EXPECT_EQ(story.back(), RuleGrammar::kEnd);
    longest = std::max(longest, story.size());
    seen.insert(story.begin(), story.end());
  }
  EXPECT_LE(static_cast<int64_t>(longest), grammar.longest_document());
  EXPECT_FALSE(seen.contains(RuleGrammar::kUnknown));
  EXPECT_EQ(seen.size(), grammar.symbols().size() - 1);
}

}  // namespace
}  // namespace mesita::training
