#include "training/seed_team.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "model/initialization.h"
#include "training/data/run_data.h"

namespace mesita::training {
namespace {

RunConfig small(const std::string& seeds, std::vector<FieldOverride> more = {}) {
  std::vector<FieldOverride> fields{
      {"width", "16"},  {"layers", "2"},       {"heads", "2"},
      {"rows", "2"},    {"threads", "2"},      {"lr", "0.01"},
      {"seeds", seeds}, {"warmup_steps", "0"}, {"evaluation.tokens", "300"}};
  fields.insert(fields.end(), more.begin(), more.end());
  return resolve_run_config("", fields);
}

struct Team {
  explicit Team(RunConfig run_config) : config(std::move(run_config)), data(make_run_data(config)) {
    std::vector<model::ParameterArrays> initial;
    for (const int64_t seed : config.all_seeds())
      initial.push_back(model::initial_values(config.model, static_cast<uint64_t>(seed)));
    seeds = SeedTeam(config, initial, at::kCPU);
  }
  std::vector<TrainStep::Result> step() {
    std::vector<std::vector<TokenBatch>> batches;
    for (const auto& source : data.training) batches.push_back({source->next(), source->next()});
    return seeds.run(batches, 0.01);
  }
  RunConfig config;
  RunData data;
  SeedTeam seeds;
};

double largest_difference(const model::ParameterArrays& a, const model::ParameterArrays& b) {
  double largest = 0.0;
  for (const auto& [name, array] : a) {
    for (size_t i = 0; i < array.values.size(); ++i)
      largest = std::max(largest, std::abs(static_cast<double>(array.values[i]) -
                                           static_cast<double>(b.at(name).values[i])));
  }
  return largest;
}

TEST(SeedTeam, StacksWhatIsSmallAndSharesTheRestOut) {
  EXPECT_EQ(SeedTeam::seeds_per_stack(small("1-8"), 8), 4) << "no thread without work";
  EXPECT_EQ(SeedTeam::seeds_per_stack(small("1-8", {{"threads", "1"}}), 8), 6)
      << "65536 / (2 x 80 x 64)";
  EXPECT_EQ(SeedTeam::seeds_per_stack(small("1-8", {{"rows", "512"}}), 8), 1);
}

// Alone, in one stack, and in several on several threads: the same computation, rounded otherwise.
TEST(SeedTeam, EachSeedIsCloseToItsRunAlone) {
  for (const char* rows : {"2", "32"}) {  // stacked or not
    for (const char* trained : {"all", "embeddings"}) {
      Team together(small("3,5,9", {{"trained", trained}, {"batch.rows", rows}}));
      for (size_t seed = 0; seed < 3; ++seed) {
        Team alone(small(std::vector<const char*>{"3", "5", "9"}[seed],
                         {{"trained", trained}, {"batch.rows", rows}}));
        Team again(small("3,5,9", {{"trained", trained}, {"batch.rows", rows}}));
        for (int step = 0; step < 3; ++step) {
          const auto all = again.step();
          const auto one = alone.step();
          EXPECT_NEAR(all[seed].loss.item<double>(), one[0].loss.item<double>(), 1e-4);
          EXPECT_NEAR(all[seed].grad_norm.item<double>(), one[0].grad_norm.item<double>(), 1e-3);
          EXPECT_EQ(all[seed].scored, one[0].scored);
        }
        // AdamW divides by the gradient's size: what was rounding can be a part of a step.
        EXPECT_LT(largest_difference(again.seeds.values(seed), alone.seeds.values(0)), 2e-3);
        EXPECT_GT(largest_difference(again.seeds.values(seed), together.seeds.values(seed)), 5e-3)
            << "it has learned";
        const auto evaluations =
            again.seeds.evaluate(again.data.evaluation, Precision::float32, false);
        const auto evaluation =
            alone.seeds.evaluate(alone.data.evaluation, Precision::float32, false);
        EXPECT_NEAR(evaluations[seed].loss, evaluation[0].loss, 1e-3);
      }
    }
  }
}

TEST(SeedTeam, GoesOnFromItsStateWithTheSameBits) {
  Team team(small("1-3"));
  team.step();
  std::vector<model::ParameterArrays> values, states;
  for (size_t seed = 0; seed < 3; ++seed) {
    values.push_back(team.seeds.values(seed));
    states.push_back(team.seeds.state(seed));
  }
  Team other(small("1-3"));
  other.step();  // the same place in the data
  other.step();
  Team copy(small("1-3"));
  copy.step();
  for (size_t seed = 0; seed < 3; ++seed) copy.seeds.restore(seed, values[seed], states[seed]);
  copy.step();
  for (size_t seed = 0; seed < 3; ++seed)
    EXPECT_EQ(largest_difference(copy.seeds.values(seed), other.seeds.values(seed)), 0.0);
}

TEST(SeedTeam, ASeedThatDivergesLeavesTheOthersAlone) {
  Team team(small("1-3")), healthy(small("1-3"));
  model::ParameterArrays broken = team.seeds.values(1);
  broken.begin()->second.values.assign(broken.begin()->second.values.size(),
                                       std::numeric_limits<float>::infinity());
  team.seeds.restore(1, broken, team.seeds.state(1));
  const auto results = team.step();
  healthy.step();
  EXPECT_FALSE(std::isfinite(results[1].loss.item<double>()));
  EXPECT_EQ(largest_difference(team.seeds.values(0), healthy.seeds.values(0)), 0.0);
  EXPECT_EQ(largest_difference(team.seeds.values(2), healthy.seeds.values(2)), 0.0);
  for (const auto& [name, array] : team.seeds.values(1))
    EXPECT_EQ(array.values, broken.at(name).values) << name << ": the step was skipped";
}

TEST(SeedTeam, EvaluatesRoundedWeightsAndKeepsTheTrueOnes) {
  Team team(small("1,2"));
  team.step();
  const auto before = team.seeds.values(1);
  const auto exact = team.seeds.evaluate(team.data.evaluation, Precision::float32, false);
  const auto rounded = team.seeds.evaluate(team.data.evaluation, Precision::float32, true);
  EXPECT_NE(exact[1].loss, rounded[1].loss);
  EXPECT_NEAR(exact[1].loss, rounded[1].loss, 0.05);
  EXPECT_EQ(largest_difference(team.seeds.values(1), before), 0.0);
}

}  // namespace
}  // namespace mesita::training
