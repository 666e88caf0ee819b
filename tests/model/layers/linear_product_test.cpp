#include "model/layers/linear_product.h"

#include <ATen/TensorOperators.h>
#include <ATen/autocast_mode.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/stack.h>
#include <gtest/gtest.h>

#include <vector>

namespace mesita::layers {
namespace {

/// Output and gradients of x, weight, bias; undefined for those that want none.
std::vector<at::Tensor> through(const at::Tensor& x, const at::Tensor& weight,
                                const at::Tensor& bias, const at::Tensor& gradient,
                                bool with_library) {
  std::vector<at::Tensor> inputs{x.detach(), weight.detach(),
                                 bias.defined() ? bias.detach() : bias};
  const std::vector<at::Tensor> originals{x, weight, bias};
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].defined()) inputs[i].requires_grad_(originals[i].requires_grad());
  }
  const at::Tensor y = with_library ? at::linear(inputs[0], inputs[1], inputs[2])
                                    : linear_product(inputs[0], inputs[1], inputs[2]);
  std::vector<at::Tensor> results{y.detach()};
  y.backward(gradient);
  for (const at::Tensor& input : inputs)
    results.push_back(input.defined() ? input.grad() : at::Tensor());
  return results;
}

at::Tensor doubled(const at::Tensor& tensor) {
  if (!tensor.defined()) return tensor;
  return tensor.detach().to(at::kDouble).requires_grad_(tensor.requires_grad());
}

double worst(const at::Tensor& is, const at::Tensor& should) {
  return (is.to(at::kDouble) - should).abs().max().item<double>();
}

TEST(LinearProduct, AgreesWithFloat64InValueAndGradients) {
  for (const auto& [rows, inputs, outputs] : std::vector<std::tuple<int64_t, int64_t, int64_t>>{
           {1, 3, 5}, {37, 64, 48}, {300, 50, 129}}) {
    for (const int wanted : {1, 2, 3, 4, 7}) {  // bits: x, weight, bias
      at::Tensor x = at::randn({rows, inputs}).requires_grad_(wanted & 1);
      at::Tensor weight = at::randn({outputs, inputs}).requires_grad_(wanted & 2);
      at::Tensor bias = at::randn({outputs}).requires_grad_(wanted & 4);
      const at::Tensor gradient = at::randn({rows, outputs});
      const auto ours = through(x, weight, bias, gradient, false);
      const auto exact =
          through(doubled(x), doubled(weight), doubled(bias), doubled(gradient), true);
      for (size_t i = 0; i < exact.size(); ++i) {
        ASSERT_EQ(ours[i].defined(), exact[i].defined()) << i << ": only what is asked for";
        if (!exact[i].defined()) continue;
        EXPECT_LT(worst(ours[i], exact[i]), 3e-5 * std::sqrt(rows + 1)) << i;
      }
    }
  }
}

TEST(LinearProduct, TakesAnyLayoutAndNoBias) {
  const at::Tensor wide = at::randn({4, 6, 10});
  const at::Tensor x = wide.transpose(0, 1).requires_grad_(true);  // [6, 4, 10], not contiguous
  const at::Tensor weight = at::randn({10, 7}).t().requires_grad_(true);
  const at::Tensor gradient = at::randn({7, 6, 4}).permute({1, 2, 0});
  const auto ours = through(x, weight, {}, gradient, false);
  const auto exact = through(doubled(x), doubled(weight), {}, doubled(gradient), true);
  for (const size_t i : {0, 1, 2}) EXPECT_LT(worst(ours[i], exact[i]), 1e-5) << i;
}

TEST(LinearProduct, MembersAreProductsSideBySide) {
  const int64_t members = 3;
  std::vector<at::Tensor> x, weight, bias, gradient;
  for (int64_t m = 0; m < members; ++m) {
    x.push_back(at::randn({2, 5, 8}).requires_grad_(true));
    weight.push_back(at::randn({12, 8}).requires_grad_(true));
    bias.push_back(at::randn({12}).requires_grad_(true));
    gradient.push_back(at::randn({2, 5, 12}));
  }
  for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
    const auto all = [&](const std::vector<at::Tensor>& each) {
      return at::stack(each).detach().to(type).requires_grad_(true);
    };
    const auto together =
        through(all(x).flatten(0, 1), all(weight), all(bias), all(gradient).flatten(0, 1), false);
    for (size_t m = 0; m < x.size(); ++m) {
      const auto alone = through(x[m], weight[m], bias[m], gradient[m], false);
      const auto at = static_cast<int64_t>(m);
      EXPECT_LT(worst(together[0].narrow(0, 2 * at, 2), alone[0]), 1e-5);
      EXPECT_LT(worst(together[1].narrow(0, 2 * at, 2), alone[1]), 1e-5);
      EXPECT_LT(worst(together[2][at], alone[2]), 1e-5);
      EXPECT_LT(worst(together[3][at], alone[3]), 1e-5);
    }
  }
}

TEST(LinearProduct, AutocastStillDecidesTheType) {
  at::autocast::set_autocast_enabled(at::kCPU, true);
  const at::Tensor y = linear_product(at::randn({2, 4}), at::randn({3, 4}), {});
  at::autocast::set_autocast_enabled(at::kCPU, false);
  EXPECT_EQ(y.scalar_type(), at::kBFloat16);
}

TEST(ProductOut, EqualsTheLibraryForEveryLayout) {
  const at::Tensor a = at::randn({20, 30}), b = at::randn({30, 9});
  for (const at::Tensor& left : {a, a.t().contiguous().t(), a.as_strided({20, 15}, {30, 2})}) {
    const at::Tensor right = b.narrow(0, 0, left.size(1));
    const at::Tensor result = at::randn({20, 9});
    product_out(left, right, result);
    EXPECT_LT(worst(result, at::mm(left.to(at::kDouble), right.to(at::kDouble))), 1e-5);
  }
}

}  // namespace
}  // namespace mesita::layers
