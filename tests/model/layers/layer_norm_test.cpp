#include "model/layers/layer_norm.h"

#include "tests/model/layers/layer_values.h"

namespace mesita::layers {
namespace {

TEST(LayerNorm, BothWaysAgree) {
  LayerNorm norm(40, 1e-3);
  draw_parameters(norm);
  norm.prepare_inference();
  const at::Tensor x = normal_tensor({11, 40}, 1, 0.1f);
  std::vector<float> y(11 * 40);
  norm.apply_rows(values_of(x), y);
  expect_near(y, norm.forward(x), 1e-5);
}

TEST(LayerNorm, IsTheFormula) {
  LayerNorm norm(8, 0.5);
  draw_parameters(norm);
  const at::Tensor x = normal_tensor({2, 3, 8}, 1);
  const at::Tensor centred = x.sub(x.mean(-1, true));
  const at::Tensor scaled = centred.div(centred.square().mean(-1, true).add(0.5).sqrt());
  const auto parameters = norm.parameters();
  expect_near(values_of(norm.forward(x)), scaled.mul(parameters[0]).add(parameters[1]), 1e-6);
}

}  // namespace
}  // namespace mesita::layers
