#include "model/layers/gelu.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

namespace mesita::layers {
namespace {

double worst(const at::Tensor& is, const at::Tensor& should) {
  return (is.to(at::kDouble) - should.to(at::kDouble)).abs().max().item<double>();
}

TEST(Gelu, AgreesWithFloat64InValueAndGradient) {
  for (const auto& sizes : std::vector<std::vector<int64_t>>{{1}, {3, 5}, {40, 1000}}) {
    const at::Tensor x = (4 * at::randn(sizes)).requires_grad_(true);
    const at::Tensor exact_x = x.detach().to(at::kDouble).requires_grad_(true);
    const at::Tensor gradient = at::randn(sizes);
    const at::Tensor y = layers::gelu(x), exact = at::gelu(exact_x, "tanh");
    y.backward(gradient);
    exact.backward(gradient.to(at::kDouble));
    EXPECT_LT(worst(y, exact), 3e-6);
    EXPECT_LT(worst(x.grad(), exact_x.grad()), 2e-5);
  }
}

TEST(Gelu, TakesWhatIsNotContiguousAndOtherTypes) {
  const at::Tensor x = at::randn({6, 7}).t();
  EXPECT_LT(worst(layers::gelu(x), at::gelu(x.to(at::kDouble), "tanh")), 3e-6);
  EXPECT_EQ(layers::gelu(x.to(at::kDouble)).scalar_type(), at::kDouble);
  EXPECT_EQ(layers::gelu(x.to(at::kBFloat16)).scalar_type(), at::kBFloat16);
}

}  // namespace
}  // namespace mesita::layers
