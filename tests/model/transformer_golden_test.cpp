#include <ATen/core/Tensor.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/golden_model.h"

namespace mesita::model {
namespace {

using testing::golden_ids;
using testing::GoldenTensor;

double distance(const at::Tensor& ours, const GoldenTensor& golden) {
  const at::Tensor values = ours.detach().to(at::kDouble).contiguous().view(-1);
  double largest = 0.0;
  for (size_t i = 0; i < golden.numbers.size(); ++i) {
    const double difference = values.const_data_ptr<double>()[i] - golden.numbers[i];
    largest = std::max(largest, std::isnan(difference) ? INFINITY : std::abs(difference));
  }
  return largest;
}

double largest_entry(const GoldenTensor& golden) {
  double largest = 0.0;
  for (const double number : golden.numbers) largest = std::max(largest, std::abs(number));
  return largest;
}

struct Parity {
  const char* file;
  at::ScalarType type;
  double tolerance;  // share of a tensor's largest entry
  double key_bias;   // absolute: this gradient is zero in theory
};

class GoldenTransformer : public ::testing::TestWithParam<Parity> {};

TEST_P(GoldenTransformer, LogitsLossAndEveryGradientAgree) {
  const auto [file, type, tolerance, key_bias] = GetParam();
  const testing::Golden golden = testing::read_golden(file);
  const auto model =
      make_language_model(testing::golden_config(golden), testing::golden_values(golden));
  model->to(at::kCPU, type);

  const at::Tensor logits = model->forward(golden_ids(golden.at("ids")));
  EXPECT_LE(distance(logits, golden.at("logits")), tolerance * largest_entry(golden.at("logits")));
  const at::Tensor loss =
      at::cross_entropy_loss(logits.flatten(0, 1), golden_ids(golden.at("targets")).flatten());
  EXPECT_LE(distance(loss, golden.at("loss")), tolerance * largest_entry(golden.at("loss")));
  loss.backward();

  for (const auto& [name, parameter] : model->named_parameters()) {
    const GoldenTensor& expected = golden.at("gradient." + name);
    ASSERT_TRUE(parameter.grad().defined()) << name;
    ASSERT_EQ(parameter.grad().sizes().vec(), expected.shape) << name;
    EXPECT_LE(distance(parameter.grad(), expected), tolerance * largest_entry(expected)) << name;
    // A key bias shifts all scores of a query alike, unless positions turn it.
    if (name.ends_with("query_key.bias") && model->config().position != PositionKind::rotary) {
      for (int64_t i = expected.shape[0] / 2; i < expected.shape[0]; ++i) {
        EXPECT_NEAR(parameter.grad()[i].item<double>(), 0.0, key_bias) << name << " " << i;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Files, GoldenTransformer,
    ::testing::Values(Parity{"transformer_learned.safetensors", at::kFloat, 1e-5, 1e-6},
                      Parity{"transformer_learned_tied.safetensors", at::kFloat, 1e-5, 1e-6},
                      Parity{"transformer_rotary.safetensors", at::kFloat, 1e-5, 1e-6},
                      Parity{"transformer_none_tied.safetensors", at::kFloat, 1e-5, 1e-6},
                      Parity{"transformer_learned.safetensors", at::kDouble, 1e-10, 1e-14},
                      Parity{"transformer_learned_tied.safetensors", at::kDouble, 1e-10, 1e-14},
                      Parity{"transformer_rotary.safetensors", at::kDouble, 1e-10, 1e-14},
                      Parity{"transformer_none_tied.safetensors", at::kDouble, 1e-10, 1e-14}));

}  // namespace
}  // namespace mesita::model
