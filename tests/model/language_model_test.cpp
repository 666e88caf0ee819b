#include "model/language_model.h"

#include <ATen/autocast_mode.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include "tests/support/message.h"
#include "tests/support/tiny_model.h"
#include "tests/support/tiny_parameters.h"

namespace mesita::model {
namespace {

using testing::tiny_config;
using testing::tiny_model;
using testing::tiny_parameters;

TEST(LanguageModel, ParametersAreThoseOfTheSpecsInTheirOrder) {
  for (const bool tied : {false, true}) {
    for (const PositionKind position :
         {PositionKind::learned, PositionKind::rotary, PositionKind::none}) {
      ModelConfig config = tiny_config();
      config.position = position;
      config.tied_unembedding = tied;
      const auto model = tiny_model(config);
      const auto specs = parameter_specs(config);
      const auto parameters = model->named_parameters();
      ASSERT_EQ(parameters.size(), specs.size());
      for (size_t i = 0; i < specs.size(); ++i) {
        EXPECT_EQ(parameters[i].first, specs[i].name);
        EXPECT_EQ(parameters[i].second.sizes().vec(), specs[i].shape);
        EXPECT_TRUE(parameters[i].second.requires_grad());
      }
    }
  }
}

TEST(LanguageModel, ValuesComeOutAsTheyWentIn) {
  const ParameterArrays values = tiny_parameters(tiny_config(), 3);
  const ParameterArrays back = parameter_arrays(*make_language_model(tiny_config(), values));
  ASSERT_EQ(back.size(), values.size());
  for (const auto& [name, array] : values) {
    EXPECT_EQ(back.at(name).shape, array.shape) << name;
    EXPECT_EQ(back.at(name).values, array.values) << name;
  }
}

TEST(LanguageModel, MissingAndMisshapenTensorsAreNamed) {
  const auto message = [](const ParameterArrays& values) {
    return testing::message_of<std::invalid_argument>(
        [&] { make_language_model(tiny_config(), values); });
  };
  ParameterArrays values = tiny_parameters(tiny_config(), 3);
  values.erase("blocks.1.mixer.value.bias");
  EXPECT_TRUE(testing::contains(message(values), "blocks.1.mixer.value.bias"));
  values = tiny_parameters(tiny_config(), 3);
  values["final_norm.weight"].shape = {1, 40};
  EXPECT_TRUE(testing::contains(message(values), "final_norm.weight has shape [1, 40]"));
  values = tiny_parameters(tiny_config(), 3);
  values["final_norm.weight"].values.pop_back();
  EXPECT_TRUE(testing::contains(message(values), "with 39 values"));
}

TEST(LanguageModel, FrozenParametersGetNoGradient) {
  const auto model = tiny_model();
  for (const auto& [name, parameter] : model->named_parameters()) {
    at::Tensor tensor = parameter;
    tensor.set_requires_grad(name.find("embedding") != std::string::npos);
  }
  model->forward(at::tensor(std::vector<int64_t>{1, 2, 3}).unsqueeze(0)).sum().backward();
  for (const auto& [name, parameter] : model->named_parameters()) {
    EXPECT_EQ(parameter.grad().defined(), name.find("embedding") != std::string::npos) << name;
  }
}

TEST(LanguageModel, AutocastComputesProductsInBfloat16) {
  const auto model = tiny_model();
  const at::Tensor ids = at::tensor(testing::random_ids(20, 61, 1)).to(at::kLong).unsqueeze(0);
  const at::Tensor exact = model->forward(ids);
  at::autocast::set_autocast_enabled(at::kCPU, true);
  at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
  const at::Tensor rough = model->forward(ids);
  at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(at::kCPU, false);
  EXPECT_EQ(rough.scalar_type(), at::kBFloat16);
  const double error = (rough.to(at::kFloat) - exact).abs().max().item<double>();
  EXPECT_GT(error, 0.0);
  EXPECT_LT(error, 0.05 * exact.abs().max().item<double>());
}

}  // namespace
}  // namespace mesita::model
