#include "training/train_step.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "model/initialization.h"
#include "tests/support/golden.h"
#include "tests/support/golden_model.h"
#include "tests/support/tiny_model.h"

namespace mesita::training {
namespace {

const RunConfig::Optimizer kGoldenOptimizer{.lr = 1e-2,
                                            .min_lr = 0.0,
                                            .warmup_steps = 0,
                                            .beta1 = 0.9,
                                            .beta2 = 0.95,
                                            .epsilon = 1e-8,
                                            .weight_decay = 0.1,
                                            .clip = 1.0};

TokenBatch random_batch(int64_t rows, int64_t context, int64_t vocabulary, uint64_t seed) {
  TokenBatch batch{.rows = rows, .context = context, .ids = {}, .targets = {}, .scored = 0};
  for (const int32_t id : testing::random_ids(rows * context, vocabulary, seed))
    batch.ids.push_back(id);
  for (const int32_t id : testing::random_ids(rows * context, vocabulary, seed + 1))
    batch.targets.push_back(id);
  batch.scored = rows * context;
  return batch;
}

// Ten steps of another implementation (tests/golden/make_transformer.py), in float64.
TEST(TrainStep, TenStepsAgreeWithPyTorch) {
  for (const char* name : {"transformer_learned", "transformer_rotary", "transformer_none_tied",
                           "transformer_learned_tied"}) {
    for (const char* trained : {"all", "embeddings"}) {
      SCOPED_TRACE(std::string(name) + ", " + trained);
      const testing::Golden golden = testing::read_golden(std::string(name) + ".safetensors");
      const auto model = model::make_language_model(testing::golden_config(golden),
                                                    testing::golden_values(golden));
      const auto& ids = golden.at("ids");
      const TokenBatch batch{.rows = ids.shape[0],
                             .context = ids.shape[1],
                             .ids = ids.integers,
                             .targets = golden.at("targets").integers,
                             .scored = ids.shape[0] * ids.shape[1]};
      TrainStep step(*model, model::trained_roles(trained), kGoldenOptimizer, Precision::float32);
      for (const double expected : golden.at(std::string("steps.") + trained).numbers)
        EXPECT_NEAR(step.run({&batch, 1}, 1e-2).loss.item<double>(), expected, 1e-4);
    }
  }
}

TEST(TrainStep, ExactlyTheNamedTensorsChange) {
  const auto specs = model::parameter_specs(testing::tiny_config());
  for (const char* trained : {"all", "embeddings", "norm", "query_key,unembedding"}) {
    SCOPED_TRACE(trained);
    const auto model = testing::tiny_model();
    const auto before = model::parameter_arrays(*model);
    const auto roles = model::trained_roles(trained);
    TrainStep step(*model, roles, kGoldenOptimizer, Precision::float32);
    const TokenBatch batch = random_batch(3, 5, testing::tiny_config().vocabulary, 1);
    for (int i = 0; i < 3; ++i) step.run({&batch, 1}, 1e-2);
    const auto after = model::parameter_arrays(*model);
    const auto tensors = model->named_parameters();
    for (size_t i = 0; i < specs.size(); ++i) {
      const bool is_trained = std::find(roles.begin(), roles.end(), specs[i].role) != roles.end();
      const auto& name = specs[i].name;
      EXPECT_EQ(after.at(name).values == before.at(name).values, !is_trained) << name;
      EXPECT_EQ(tensors[i].second.requires_grad(), is_trained) << name;
      EXPECT_FALSE(tensors[i].second.grad().defined()) << name;
    }
  }
}

TEST(TrainStep, FrozenTensorsHaveNoOptimizerState) {
  const auto model = testing::tiny_model();
  EXPECT_EQ(freeze_others(*model, model::trained_roles("embeddings"), {}).size(), 3u);
  EXPECT_EQ(freeze_others(*model, model::trained_roles("all"), {}).size(),
            model->named_parameters().size());
}

TEST(TrainStep, RefusesRolesThatTheModelLacks) {
  model::ModelConfig config = testing::tiny_config();
  config.tied_unembedding = true;
  const auto model = testing::tiny_model(config);
  EXPECT_THROW(freeze_others(*model, model::trained_roles("unembedding"), {}),
               std::invalid_argument);
}

// Micro-batches with different numbers of scored tokens weigh by their tokens.
TEST(TrainStep, AccumulationEqualsOneLargeBatch) {
  const int64_t vocabulary = testing::tiny_config().vocabulary;
  TokenBatch whole = random_batch(4, 6, vocabulary, 3);
  for (size_t i = 0; i < 9; ++i) whole.targets[i] = kIgnored;
  whole.scored -= 9;
  std::vector<TokenBatch> parts(2);
  for (size_t p = 0; p < 2; ++p) {
    const auto part = [&](const std::vector<int64_t>& all) {
      return std::vector<int64_t>(all.begin() + static_cast<std::ptrdiff_t>(p * 12),
                                  all.begin() + static_cast<std::ptrdiff_t>((p + 1) * 12));
    };
    parts[p] = {.rows = 2,
                .context = 6,
                .ids = part(whole.ids),
                .targets = part(whole.targets),
                .scored = p == 0 ? 3 : 12};
  }
  const auto one = testing::tiny_model(), two = testing::tiny_model();
  const auto roles = model::trained_roles("all");
  TrainStep one_step(*one, roles, kGoldenOptimizer, Precision::float32);
  TrainStep two_steps(*two, roles, kGoldenOptimizer, Precision::float32);
  for (int i = 0; i < 5; ++i) {
    const auto a = one_step.run({&whole, 1}, 1e-3), b = two_steps.run(parts, 1e-3);
    EXPECT_EQ(b.scored, 15);
    EXPECT_NEAR(a.loss.item<double>(), b.loss.item<double>(), 1e-5);
    EXPECT_NEAR(a.grad_norm.item<double>(), b.grad_norm.item<double>(), 1e-4);
  }
}

TEST(TrainStep, Bf16LearnsTheSameBatch) {
  const auto model = testing::tiny_model();
  TrainStep step(*model, model::trained_roles("all"), kGoldenOptimizer, Precision::bf16);
  const TokenBatch batch = random_batch(2, 6, testing::tiny_config().vocabulary, 5);
  const double first = step.run({&batch, 1}, 1e-2).loss.item<double>();
  double last = first;
  for (int i = 0; i < 60; ++i) last = step.run({&batch, 1}, 1e-2).loss.item<double>();
  EXPECT_LT(last, 0.3 * first);
}

TEST(TrainStep, MeasuringChangesNothing) {
  const auto model = testing::tiny_model();
  const auto before = model::parameter_arrays(*model);
  TrainStep step(*model, model::trained_roles("all"), kGoldenOptimizer, Precision::float32);
  const TokenBatch batch = random_batch(2, 6, testing::tiny_config().vocabulary, 5);
  for (const Precision precision : {Precision::float32, Precision::bf16})
    EXPECT_GT(step.measure(batch, precision), 0.0);
  for (const auto& [name, array] : model::parameter_arrays(*model))
    EXPECT_EQ(array.values, before.at(name).values);
  for (const auto& [name, tensor] : model->named_parameters())
    EXPECT_FALSE(tensor.grad().defined());
}

TEST(TrainStep, AStepMustScoreSomething) {
  const auto model = testing::tiny_model();
  TrainStep step(*model, model::trained_roles("all"), kGoldenOptimizer, Precision::float32);
  TokenBatch batch = random_batch(1, 4, testing::tiny_config().vocabulary, 5);
  batch.targets.assign(4, kIgnored);
  batch.scored = 0;
  EXPECT_THROW(step.run({&batch, 1}, 1e-2), std::invalid_argument);
}

TEST(TrainStep, GoesOnExactlyFromItsState) {
  const model::ModelConfig config{
      .vocabulary = 11, .context = 6, .width = 8, .layers = 1, .heads = 2, .feed_forward = 16};
  const TokenBatch batch{.rows = 1,
                         .context = 6,
                         .ids = {1, 2, 3, 4, 5, 6},
                         .targets = {2, 3, 4, 5, 6, 7},
                         .scored = 6};
  const auto roles = model::trained_roles("embeddings,norm");
  const auto model = model::make_language_model(config, model::initial_values(config, 1));
  TrainStep step(*model, roles, {}, Precision::float32);
  for (int i = 0; i < 3; ++i) step.run({&batch, 1}, 0.01);
  const auto weights = model::parameter_arrays(*model);
  const auto state = step.state();
  step.run({&batch, 1}, 0.01);

  const auto other = model::make_language_model(config, weights);
  TrainStep resumed(*other, roles, {}, Precision::float32);
  resumed.load_state(state);
  resumed.run({&batch, 1}, 0.01);
  const auto expected = model::parameter_arrays(*model);
  for (const auto& [name, array] : model::parameter_arrays(*other))
    EXPECT_EQ(array.values, expected.at(name).values) << name;

  auto damaged = state;
  damaged.erase("optimizer.steps");
  EXPECT_THROW(resumed.load_state(damaged), std::runtime_error);
  damaged = state;
  damaged.at("optimizer.mean.0").shape = {1};
  EXPECT_THROW(resumed.load_state(damaged), std::runtime_error);
}

}  // namespace
}  // namespace mesita::training
