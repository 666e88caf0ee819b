#include "model/initialization.h"

#include <gtest/gtest.h>

#include <cmath>

#include "model/kernels/seeded_normal.h"

namespace mesita::model {
namespace {

ParameterSpec normal_spec(std::string name, int64_t size) {
  return {std::move(name), {size}, ParameterRole::value, InitialValue::normal, 0.5};
}

TEST(Initialization, ZerosAndOnes) {
  const ParameterSpec zeros{"z", {2, 3}, ParameterRole::norm, InitialValue::zeros, 0.0};
  const ParameterSpec ones{"o", {2, 3}, ParameterRole::norm, InitialValue::ones, 0.0};
  EXPECT_EQ(initial_value(zeros, 1).values, std::vector<float>(6, 0.0F));
  EXPECT_EQ(initial_value(ones, 1).values, std::vector<float>(6, 1.0F));
  EXPECT_EQ(initial_value(ones, 1).shape, (std::vector<int64_t>{2, 3}));
}

TEST(Initialization, NormalValuesAreTheStreamOfTheNameScaled) {
  std::vector<float> standard(1000);
  kernels::seeded_normal(42, kernels::stream_of("a.weight"), standard);
  const ParameterArray array = initial_value(normal_spec("a.weight", 1000), 42);
  for (size_t i = 0; i < standard.size(); ++i) {
    ASSERT_EQ(array.values[i], standard[i] * 0.5F);  // exact: a power of two
  }
}

TEST(Initialization, SeedAndNameDecideAndNothingElse) {
  const auto values = [](const char* name, uint64_t seed) {
    return initial_value(normal_spec(name, 64), seed).values;
  };
  EXPECT_EQ(values("a", 1), values("a", 1));
  EXPECT_NE(values("a", 1), values("b", 1));
  EXPECT_NE(values("a", 1), values("a", 2));
  EXPECT_NE(values("a", 1), values("a", 1 + (uint64_t{1} << 32)));
  // A longer tensor begins with the shorter one's values.
  std::vector<float> longer = initial_value(normal_spec("a", 777), 1).values;
  longer.resize(64);
  EXPECT_EQ(longer, values("a", 1));
}

TEST(Initialization, AllParametersOfAModel) {
  ModelConfig config;
  config.width = 64;
  config.feed_forward = 256;
  const ParameterArrays arrays = initial_values(config, 3);
  const auto specs = parameter_specs(config);
  ASSERT_EQ(arrays.size(), specs.size());
  for (const ParameterSpec& spec : specs) {
    const ParameterArray& array = arrays.at(spec.name);
    ASSERT_EQ(array.shape, spec.shape);
    ASSERT_EQ(static_cast<int64_t>(array.values.size()), spec.size());
    if (spec.initial != InitialValue::normal) continue;
    double squares = 0;
    for (const float value : array.values) squares += static_cast<double>(value) * value;
    const double found = std::sqrt(squares / static_cast<double>(spec.size()));
    // Five standard errors.
    const double error = 5 / std::sqrt(2.0 * static_cast<double>(spec.size()));
    EXPECT_NEAR(found / spec.standard_deviation, 1.0, error) << spec.name;
  }
  // The vocabulary's size must not change the interior: models with other vocabularies share it.
  config.vocabulary = 77;
  EXPECT_EQ(initial_values(config, 3).at("blocks.1.mixer.value.weight").values,
            arrays.at("blocks.1.mixer.value.weight").values);
}

}  // namespace
}  // namespace mesita::model
