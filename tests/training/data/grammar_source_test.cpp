#include "training/data/grammar_source.h"

#include <gtest/gtest.h>

#include <numeric>

#include "training/tasks/story_grammar.h"

namespace mesita::training {
namespace {

// The documents of a batch, from the targets that are scored.
std::vector<std::vector<int32_t>> documents_of(const TokenBatch& batch) {
  std::vector<std::vector<int32_t>> documents;
  for (size_t i = 0; i < batch.ids.size(); ++i) {
    if (batch.targets[i] == kIgnored) continue;
    if (batch.ids[i] == RuleGrammar::kStart) documents.push_back({RuleGrammar::kStart});
    documents.back().push_back(static_cast<int32_t>(batch.targets[i]));
  }
  return documents;
}

TEST(GrammarSource, GivesTheSeedsStoriesWholeAndInOrder) {
  const RuleGrammar& grammar = story_grammar();
  GrammarSource source(grammar, 11, {4, 96});
  uint64_t index = 0;
  for (int batch = 0; batch < 20; ++batch) {
    for (const auto& document : documents_of(source.next()))
      EXPECT_EQ(document, grammar.document(11, index++));
  }
  EXPECT_GE(index, 80u);
}

TEST(GrammarSource, RefusesAContextThatIsTooShort) {
  const RuleGrammar& grammar = story_grammar();
  const RowShape too_short{1, grammar.longest_document() - 2};
  const RowShape long_enough{1, grammar.longest_document() - 1};
  EXPECT_THROW(GrammarSource(grammar, 1, too_short), std::invalid_argument);
  EXPECT_NO_THROW(GrammarSource(grammar, 1, long_enough));
  EXPECT_THROW(grammar_evaluation_set(grammar, 10, too_short), std::invalid_argument);
}

TEST(GrammarEvaluationSet, KnowsTheExactSurpriseOfWhatItScores) {
  const RuleGrammar& grammar = story_grammar();
  const EvaluationSet set = grammar_evaluation_set(grammar, 20000, {16, 96});
  double nats = 0.0;
  int64_t scored = 0;
  for (const TokenBatch& batch : set.batches) {
    for (const auto& document : documents_of(batch)) {
      const auto surprisals = grammar.surprisals(document);
      nats = std::accumulate(surprisals.begin(), surprisals.end(), nats);
      scored += static_cast<int64_t>(surprisals.size());
    }
  }
  EXPECT_GE(set.scored, 20000);
  EXPECT_EQ(set.scored, scored);
  EXPECT_NEAR(set.exact_nats, nats, 1e-8 * nats);
  EXPECT_DOUBLE_EQ(set.entropy_per_symbol, grammar.entropy_per_symbol());
  EXPECT_NEAR(nats / static_cast<double>(scored), grammar.entropy_per_symbol(),
              0.05 * grammar.entropy_per_symbol());
}

TEST(GrammarSource, GoesOnFromItsCursor) {
  const RuleGrammar& grammar = story_grammar();
  const int64_t context = grammar.longest_document();
  GrammarSource source(grammar, 1, {2, context}), resumed(grammar, 1, {2, context});
  for (int batches = 0; batches < 5; ++batches) {
    resumed.seek(source.cursor());
    const TokenBatch batch = resumed.next();
    EXPECT_EQ(batch.ids, source.next().ids);
  }
  EXPECT_THROW(source.seek("x"), std::invalid_argument);
  EXPECT_THROW(source.seek("1:2"), std::invalid_argument);
  EXPECT_THROW(source.seek(""), std::invalid_argument);
}

}  // namespace
}  // namespace mesita::training
