#include "model/layers/feed_forward.h"

#include "tests/model/layers/layer_values.h"

namespace mesita::layers {
namespace {

model::ModelConfig small_config() {
  model::ModelConfig config;
  config.width = 20;
  config.feed_forward = 72;
  return config;
}

TEST(FeedForward, BothWaysAgreeForFewAndManyRows) {
  FeedForward layer(small_config());
  draw_parameters(layer);
  layer.prepare_inference();
  for (const int64_t rows : {1, 5, 256, 600}) {
    const at::Tensor x = normal_tensor({1, rows, 20}, 1);
    std::vector<float> y(static_cast<size_t>(rows) * 20);
    layer.apply_rows(values_of(x), y);
    expect_near(y, layer.forward(x), 1e-4);
  }
}

TEST(FeedForward, IsDownGeluUp) {
  FeedForward layer(small_config());
  draw_parameters(layer);
  const auto named = layer.named_parameters();
  const at::Tensor x = normal_tensor({1, 4, 20}, 1);
  const at::Tensor h = x.matmul(named["up.weight"].t()).add(named["up.bias"]);
  const at::Tensor inner = h.add(h.pow(3).mul(0.044715)).mul(std::sqrt(2.0 / M_PI)).tanh();
  const at::Tensor gelu = h.mul(0.5).mul(inner.add(1.0));
  expect_near(values_of(layer.forward(x)),
              gelu.matmul(named["down.weight"].t()).add(named["down.bias"]), 1e-5);
}

}  // namespace
}  // namespace mesita::layers
