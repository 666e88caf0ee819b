#include "server/evaluation/corpus_score.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/tiny_handle.h"
#include "tests/support/tiny_tokenizer.h"

namespace mesita::evaluation {
namespace {

std::shared_ptr<const ModelHandle> model() {
  static const std::shared_ptr<const ModelHandle> handle =
      testing::tiny_handle(testing::tiny_sentencepiece_tokenizer());
  return handle;
}

const std::vector<SourceText> kTexts = {
    {testing::tiny_text(8), "f:1"}, {"", "f:2"}, {testing::tiny_text(1, 30), "f:3"}};

TEST(CorpusScore, IsTheSumOfItsTexts) {
  const ScoringOptions options{.context = 8, .stride = 3};
  const CorpusScore score = score_corpus(*model(), kTexts, options);
  Score sums;
  std::vector<TextScore> texts;
  for (const SourceText& source : kTexts) {
    texts.push_back(score_text(*model(), source.text, options));
    sums.add(texts.back().sums);
  }
  EXPECT_EQ(score.model, "tiny");
  EXPECT_EQ(score.texts, 3);
  EXPECT_EQ(score.context, 8);
  EXPECT_EQ(score.stride, 3);
  EXPECT_EQ(score.sums.nats, sums.nats);
  EXPECT_EQ(score.sums.tokens, sums.tokens);
  EXPECT_EQ(score.sums.words, sums.words);
  EXPECT_EQ(score.errors.over_texts, standard_errors(texts).over_texts);
  EXPECT_GT(score.errors.over_texts, 0.0);
}

TEST(CorpusScore, NamesTheWindowsThatWereUsed) {
  const CorpusScore score = score_corpus(*model(), kTexts, {});
  EXPECT_EQ(score.context, 16);
  EXPECT_EQ(score.stride, 8);
}

TEST(CorpusScore, ProgressGrowsFromZeroBelowOne) {
  std::vector<double> shares;
  score_corpus(*model(), kTexts, {}, [&shares](double share) { shares.push_back(share); });
  ASSERT_GT(shares.size(), 4U);
  EXPECT_EQ(shares.front(), 0.0);
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_LT(shares.back(), 1.0);
  EXPECT_GT(shares.back(), 0.5);
}

TEST(CorpusScore, NothingToScore) {
  const CorpusScore score = score_corpus(*model(), {}, {});
  EXPECT_EQ(score.texts, 0);
  EXPECT_EQ(score.sums.tokens, 0);
}

TEST(CorpusScore, BlamesTheTextOrTheCaller) {
  const std::vector<SourceText> bad = {{"fine", "f:1"}, {"not \xFF fine", "f:7"}};
  try {
    score_corpus(*model(), bad, {});
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(std::string(error.what()).rfind("f:7: ", 0), 0U) << error.what();
  }
  EXPECT_THROW(score_corpus(*model(), bad, {.context = 99}), std::invalid_argument);
}

}  // namespace
}  // namespace mesita::evaluation
