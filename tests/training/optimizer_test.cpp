#include "training/optimizer.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace mesita::training {
namespace {

// AdamW as the paper has it, in float64, for one tensor.
struct Reference {
  at::Tensor value, mean, square;
  int step = 0;

  explicit Reference(const at::Tensor& start)
      : value(start.detach().to(at::kDouble)),
        mean(at::zeros_like(value)),
        square(at::zeros_like(value)) {}

  void update(at::Tensor gradient, double lr, double decay, const RunConfig::Optimizer& o) {
    ++step;
    mean = mean * o.beta1 + gradient * (1 - o.beta1);
    square = square * o.beta2 + gradient * gradient * (1 - o.beta2);
    const at::Tensor m = mean / (1 - std::pow(o.beta1, step));
    const at::Tensor s = square / (1 - std::pow(o.beta2, step));
    value = value * (1 - lr * decay) - m / (s.sqrt() + o.epsilon) * lr;
  }
};

TEST(AdamW, FollowsTheFormulaWithDecayOnMatricesOnly) {
  RunConfig::Optimizer options;
  options.weight_decay = 0.3;
  options.clip = 1.0;
  at::Tensor matrix = at::randn({4, 3}).requires_grad_(true);
  at::Tensor vector = at::randn({5}).requires_grad_(true);
  Reference matrix_reference(matrix), vector_reference(vector);
  AdamW optimizer({{matrix, true}, {vector, false}}, options);
  EXPECT_EQ(optimizer.state().size(), 5u);  // steps, and two moments each
  for (int i = 0; i < 10; ++i) {
    const double size = i % 2 == 0 ? 10.0 : 0.01;  // clipped and not clipped
    const at::Tensor g = at::randn({4, 3}) * size, h = at::randn({5}) * size;
    const double norm = std::sqrt((g.pow(2).sum() + h.pow(2).sum()).item<double>());
    matrix.mutable_grad() = g.clone();
    vector.mutable_grad() = h.clone();
    EXPECT_NEAR(optimizer.step(0.1).item<double>(), norm, 1e-5 * norm);
    EXPECT_FALSE(matrix.grad().defined());
    const double factor = std::min(1.0, 1.0 / norm);
    matrix_reference.update(g.to(at::kDouble) * factor, 0.1, 0.3, options);
    vector_reference.update(h.to(at::kDouble) * factor, 0.1, 0.0, options);
  }
  EXPECT_LT((matrix - matrix_reference.value).abs().max().item<double>(), 1e-5);
  EXPECT_LT((vector - vector_reference.value).abs().max().item<double>(), 1e-5);
}

TEST(AdamW, WithoutClippingGradientsKeepTheirSize) {
  RunConfig::Optimizer options;
  options.clip = 0.0;
  options.epsilon = 1.0;  // makes the update depend on the gradient's size
  options.weight_decay = 0.0;
  at::Tensor x = at::zeros({1}).requires_grad_(true);
  AdamW optimizer({{x, false}}, options);
  x.mutable_grad() = at::full({1}, 3.0);
  optimizer.step(1.0);
  EXPECT_NEAR(x.item<double>(), -0.75, 1e-6);
}

TEST(AdamW, AGradientThatIsNotFiniteChangesNothing) {
  for (const double clip : {0.0, 1.0}) {
    RunConfig::Optimizer options;
    options.clip = clip;
    at::Tensor x = at::randn({2, 2}).requires_grad_(true), y = at::randn({3}).requires_grad_(true);
    const at::Tensor before = x.detach().clone(), y_before = y.detach().clone();
    AdamW optimizer({{x, false}, {y, false}}, options);
    x.mutable_grad() = at::full({2, 2}, std::numeric_limits<float>::infinity());
    y.mutable_grad() = at::ones({3});
    EXPECT_FALSE(std::isfinite(optimizer.step(0.1).item<double>()));
    EXPECT_TRUE(x.equal(before));
    EXPECT_TRUE(y.equal(y_before));
    x.mutable_grad() = at::ones({2, 2});
    y.mutable_grad() = at::ones({3});
    optimizer.step(0.1);
    EXPECT_FALSE(x.equal(before));
    EXPECT_TRUE(x.isfinite().all().item<bool>());
  }
}

TEST(AdamW, AMissingGradientIsZero) {
  at::Tensor x = at::ones({2}).requires_grad_(true);
  AdamW optimizer({{x, false}}, RunConfig::Optimizer{});
  EXPECT_EQ(optimizer.step(0.1).item<double>(), 0.0);
  EXPECT_TRUE(x.equal(at::ones({2})));
}

TEST(AdamW, NeedsSomethingToTrain) {
  EXPECT_THROW(AdamW({}, RunConfig::Optimizer{}), std::invalid_argument);
}

TEST(AdamW, DecayIsWhereTheRunSays) {
  const model::ModelConfig config{
      .vocabulary = 5, .context = 4, .width = 4, .layers = 1, .heads = 2, .feed_forward = 8};
  const auto decayed = [&](const std::string& names) {
    RunConfig::Optimizer options;
    options.decayed = names;
    std::vector<std::string> result;
    for (const auto& spec : model::parameter_specs(config)) {
      if (is_decayed(spec, options)) result.push_back(spec.name);
    }
    return result;
  };
  EXPECT_EQ(decayed("all").size(), model::parameter_specs(config).size());
  EXPECT_EQ(decayed("matrices").size(), 8u);  // 3 embeddings, 3 of the mixer, 2 of the MLP
  EXPECT_EQ(decayed("interior").size(), 5u);
  EXPECT_EQ(decayed("value,norm"), std::vector<std::string>{"blocks.0.mixer.value.weight"});
  EXPECT_THROW(decayed("walues"), std::invalid_argument);
}

}  // namespace
}  // namespace mesita::training
