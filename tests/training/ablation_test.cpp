// What a run's `trained` names is what training changes, and nothing else.
#include <ATen/record_function.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "model/initialization.h"
#include "model/language_model.h"
#include "model/parameters.h"
#include "training/step_flops.h"
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

/// What a step really multiplies: LibTorch tells of every operation with its inputs.
struct Work {
  int64_t products = 0;
  int64_t attention_forward = 0, attention_backward = 0;
};

Work* counting = nullptr;

int64_t product_flops(const at::Tensor& left, const at::Tensor& right) {
  return 2 * left.numel() * right.size(-1);
}

// One product of causal attention. query: [batch, heads, time, head width].
int64_t attention_flops(const at::Tensor& query, bool is_causal) {
  EXPECT_TRUE(is_causal);
  return query.numel() * (query.size(2) + 1);
}

std::unique_ptr<at::ObserverContext> count(const at::RecordFunction& operation) {
  const std::string name = operation.name();
  const auto inputs = operation.inputs();
  const auto product = [&](size_t left) {
    counting->products += product_flops(inputs[left].toTensor(), inputs[left + 1].toTensor());
  };
  if (name == "mesita::product" || name == "aten::mm" || name == "aten::bmm") product(0);
  if (name == "aten::addmm" || name == "aten::baddbmm") product(1);
  const std::string attention = "aten::_scaled_dot_product_flash_attention_for_cpu";
  // query, key, value, dropout, is_causal: scores and their product with values.
  if (name == attention)
    counting->attention_forward += 2 * attention_flops(inputs[0].toTensor(), inputs[4].toBool());
  // gradient, query, key, value, output, logsumexp, dropout, is_causal: always all four products.
  if (name == attention + "_backward")
    counting->attention_backward += 4 * attention_flops(inputs[1].toTensor(), inputs[7].toBool());
  return nullptr;
}

Work work_of_a_step(const model::ModelConfig& config,
                    const std::vector<model::ParameterRole>& trained, Precision precision) {
  const auto model = model::make_language_model(config, model::initial_values(config, 1));
  TrainStep step(*model, trained, {}, precision);
  TokenBatch batch{.rows = 2, .context = 6, .ids = {}, .targets = {}, .scored = 12};
  batch.ids.assign(12, 3);
  batch.targets.assign(12, 5);
  step.run({&batch, 1}, 0.05);

  Work work;
  counting = &work;
  const auto handle = at::addThreadLocalCallback(
      at::RecordFunctionCallback(count).needsInputs(true).scopes({at::RecordScope::FUNCTION}));
  step.run({&batch, 1}, 0.05);
  at::removeCallback(handle);
  counting = nullptr;
  return work;
}

// Exactly the products that step_flops counts: none for what is frozen.
TEST_P(Ablation, DoesNoWorkForTheRest) {
  const auto trained = model::trained_roles(GetParam());
  for (const auto position :
       {model::PositionKind::learned, model::PositionKind::rotary, model::PositionKind::none}) {
    for (const bool tied : {false, true}) {
      model::ModelConfig config = kConfig;
      config.position = position;
      config.tied_unembedding = tied;
      if (model::count_trained(config, trained) == 0) continue;
      const StepFlops flops = step_flops(config, trained, 2, 6);
      for (const Precision precision : {Precision::float32, Precision::bf16}) {
        SCOPED_TRACE(std::string(model::name_of(position)) + (tied ? ", tied" : ", untied") +
                     (precision == Precision::bf16 ? ", bf16" : ", float32"));
        const Work work = work_of_a_step(config, trained, precision);
        EXPECT_EQ(work.products,
                  flops.forward + flops.activation_gradients + flops.weight_gradients);
        EXPECT_EQ(work.attention_forward, flops.attention_forward);
        // The kernel goes backward through a block as a whole, or not at all: in the lowest that
        // wants gradients some of the four products may be more than is needed.
        const int64_t block = flops.attention_forward / config.layers * 2;
        EXPECT_EQ(work.attention_backward, (flops.attention_backward + block - 1) / block * block);
      }
    }
  }
}

std::string case_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& letter : name) letter = letter == ',' ? 'X' : letter;
  return name;
}

INSTANTIATE_TEST_SUITE_P(PresetsAndRoles, Ablation, ::testing::ValuesIn(choices()), case_name);

}  // namespace
}  // namespace mesita::training
