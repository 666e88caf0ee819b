#include "model/layers/linear.h"

#include <ATen/ops/matmul.h>

#include "tests/model/layers/layer_values.h"

namespace mesita::layers {
namespace {

TEST(Linear, BothWaysAreTheProduct) {
  for (const Linear::Bias bias : {Linear::Bias::none, Linear::Bias::trained}) {
    Linear linear(24, 50, bias);
    draw_parameters(linear);
    EXPECT_EQ(linear.bias().defined(), bias == Linear::Bias::trained);
    const at::Tensor x = normal_tensor({9, 24}, 1);
    at::Tensor expected = x.matmul(linear.weight().t());
    if (linear.bias().defined()) expected = expected.add(linear.bias());
    expect_near(values_of(linear.forward(x)), expected, 1e-5);

    linear.prepare_inference();
    std::vector<float> y(9 * 50);
    linear.apply_rows(values_of(x), y);
    expect_near(y, expected, 1e-5);
  }
}

}  // namespace
}  // namespace mesita::layers
