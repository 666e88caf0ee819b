#include "training/evaluate.h"

#include <gtest/gtest.h>

#include <numbers>

#include "model/inference/scoring.h"
#include "tests/support/tiny_model.h"

namespace mesita::training {
namespace {

// Two rows of which some targets are ignored; the scored ones are next tokens, so that the
// inference path can say the same.
EvaluationSet small_set(const std::vector<std::vector<int32_t>>& rows, int32_t end) {
  EvaluationSet set;
  set.end = end;
  TokenBatch batch{.rows = static_cast<int64_t>(rows.size()),
                   .context = static_cast<int64_t>(rows[0].size()) - 1,
                   .ids = {},
                   .targets = {},
                   .scored = 0};
  for (const auto& row : rows) {
    batch.ids.insert(batch.ids.end(), row.begin(), row.end() - 1);
    batch.targets.insert(batch.targets.end(), row.begin() + 1, row.end());
  }
  batch.targets[1] = kIgnored;
  batch.scored = static_cast<int64_t>(batch.targets.size()) - 1;
  set.scored = batch.scored;
  set.batches.push_back(std::move(batch));
  return set;
}

TEST(Evaluate, AgreesWithTheInferencePath) {
  const auto model = testing::tiny_model();
  const int64_t vocabulary = testing::tiny_config().vocabulary;
  const std::vector<std::vector<int32_t>> rows{testing::random_ids(7, vocabulary, 1),
                                               testing::random_ids(7, vocabulary, 2)};
  const int32_t end = rows[1][3];
  EvaluationSet set = small_set(rows, end);
  double nats = 0.0, text_nats = 0.0;
  for (size_t r = 0; r < rows.size(); ++r) {
    const auto logprobs = inference::score(*model, rows[r]);
    for (size_t i = 0; i < logprobs.size(); ++i) {
      if (r == 0 && i == 1) continue;
      nats -= logprobs[i];
      if (rows[r][i + 1] != end) text_nats -= logprobs[i];
    }
  }
  const Evaluation plain = evaluate(*model, set, Precision::float32);
  EXPECT_NEAR(plain.loss, nats / 11.0, 1e-4 * plain.loss);
  EXPECT_FALSE(plain.bits_per_byte.has_value());
  set.bytes = 40;
  EXPECT_NEAR(*evaluate(*model, set, Precision::float32).bits_per_byte,
              text_nats / std::numbers::ln2 / 40, 1e-4 * text_nats);
  EXPECT_NEAR(evaluate(*model, set, Precision::bf16).loss, plain.loss, 0.05 * plain.loss);
}

TEST(Evaluate, NeedsSomethingToScore) {
  EXPECT_THROW(evaluate(*testing::tiny_model(), EvaluationSet{}, Precision::float32),
               std::invalid_argument);
}

}  // namespace
}  // namespace mesita::training
