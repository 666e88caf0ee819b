// What a run's `trained` names is what training changes, and nothing else.
#include <gtest/gtest.h>

#include <cstring>

#include "model/initialization.h"
#include "model/language_model.h"
#include "model/parameters.h"
#include "training/train_step.h"

namespace mesita::training {
namespace {

const model::ModelConfig kConfig{
    .vocabulary = 11, .context = 6, .width = 8, .layers = 2, .heads = 2, .feed_forward = 16};

std::vector<std::string> choices() {
  std::vector<std::string> names{"query_key,feed_forward", "norm,unembedding"};
  for (const auto& preset : model::trained_presets()) names.emplace_back(preset.name);
  for (const auto role : model::trained_roles("all")) names.emplace_back(model::name_of(role));
  return names;
}

class Ablation : public ::testing::TestWithParam<std::string> {};

TEST_P(Ablation, ChangesExactlyTheNamedTensors) {
  const auto trained = model::trained_roles(GetParam());
  const auto initial = model::initial_values(kConfig, 1);
  const auto model = model::make_language_model(kConfig, initial);
  TrainStep step(*model, trained, {}, Precision::float32);
  TokenBatch batch{.rows = 2, .context = 6, .ids = {}, .targets = {}, .scored = 12};
  for (int64_t i = 0; i < 12; ++i) {
    batch.ids.push_back(i % 11);
    batch.targets.push_back((7 * i + 3) % 11);
  }
  for (int i = 0; i < 3; ++i) step.run({&batch, 1}, 0.05);

  const auto values = model::parameter_arrays(*model);
  size_t named = 0;
  for (const model::ParameterSpec& spec : model::parameter_specs(kConfig)) {
    const auto& before = initial.at(spec.name).values;
    const auto& after = values.at(spec.name).values;
    const bool same = std::memcmp(before.data(), after.data(), 4 * before.size()) == 0;
    EXPECT_EQ(same, !model::is_trained(spec, trained)) << spec.name;
    named += model::is_trained(spec, trained) ? 1 : 0;
  }
  EXPECT_EQ(step.state().size(), 1 + 2 * named);  // the step count, two moments each: no more
}

std::string case_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& letter : name) letter = letter == ',' ? 'X' : letter;
  return name;
}

INSTANTIATE_TEST_SUITE_P(PresetsAndRoles, Ablation, ::testing::ValuesIn(choices()), case_name);

}  // namespace
}  // namespace mesita::training
