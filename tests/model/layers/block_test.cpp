#include "model/layers/block.h"

#include "tests/model/layers/layer_values.h"

namespace mesita::layers {
namespace {

model::ModelConfig small_config() {
  model::ModelConfig config;
  config.width = 16;
  config.heads = 2;
  config.feed_forward = 40;
  return config;
}

TEST(Block, BothWaysAgree) {
  Block block(small_config());
  draw_parameters(block);
  block.prepare_inference();
  const at::Tensor x = normal_tensor({1, 12, 16}, 1);
  model::SequenceState sequence;
  sequence.layers.resize(3);
  sequence.layers[2] = block.new_state();
  std::vector<float> rows(values_of(x).begin(), values_of(x).end());
  const model::RowSegment segment{&sequence, 0, 12};
  block.advance({&segment, 1}, 2, rows);
  expect_near(rows, block.forward(x, {}), 2e-5);
}

TEST(Block, WithoutChangeTheResidualStreamPasses) {
  Block block(small_config());
  draw_parameters(block);
  const c10::NoGradGuard no_grad;
  for (auto& item : block.named_parameters()) {
    if (item.key().starts_with("mixer.output") || item.key().starts_with("feed_forward.down")) {
      item.value().zero_();
    }
  }
  const at::Tensor x = normal_tensor({2, 5, 16}, 1);
  expect_near(values_of(block.forward(x, {})), x, 0.0);
}

}  // namespace
}  // namespace mesita::layers
