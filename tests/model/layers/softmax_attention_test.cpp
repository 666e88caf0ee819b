#include "model/layers/softmax_attention.h"

#include <ATen/ops/full.h>
#include <ATen/ops/triu.h>

#include <limits>

#include "tests/model/layers/layer_values.h"

namespace mesita::layers {
namespace {

model::ModelConfig small_config(model::PositionKind position) {
  model::ModelConfig config;
  config.width = 24;
  config.heads = 3;
  config.context = 70;
  config.position = position;
  return config;
}

TEST(SoftmaxAttention, IsTheFormula) {
  SoftmaxAttention layer(small_config(model::PositionKind::none));
  draw_parameters(layer);
  const auto named = layer.named_parameters();
  const at::Tensor x = normal_tensor({2, 10, 24}, 1);
  const at::Tensor both = x.matmul(named["query_key.weight"].t()).add(named["query_key.bias"]);
  const auto heads = [](const at::Tensor& y) { return y.reshape({2, 10, 3, 8}).transpose(1, 2); };
  const at::Tensor query = heads(both.narrow(-1, 0, 24)), key = heads(both.narrow(-1, 24, 24));
  const at::Tensor value = heads(x.matmul(named["value.weight"].t()).add(named["value.bias"]));
  const at::Tensor future = at::full({10, 10}, -std::numeric_limits<float>::infinity()).triu(1);
  const at::Tensor scores = query.matmul(key.transpose(-1, -2)).div(std::sqrt(8.0)).add(future);
  const at::Tensor mixed = scores.softmax(-1).matmul(value).transpose(1, 2).reshape({2, 10, 24});
  expect_near(values_of(layer.forward(x, {})),
              mixed.matmul(named["output.weight"].t()).add(named["output.bias"]), 1e-5);
}

TEST(SoftmaxAttention, AdvancingEqualsTheForwardPass) {
  for (const model::PositionKind position :
       {model::PositionKind::none, model::PositionKind::rotary}) {
    SoftmaxAttention layer(small_config(position));
    draw_parameters(layer);
    layer.prepare_inference();
    const at::Tensor x = normal_tensor({1, 70, 24}, 1);
    model::SequenceState sequence;
    sequence.layers.push_back(layer.new_state());
    std::vector<float> y(70 * 24);
    for (int64_t rows : {40, 1, 29}) {
      const auto at = static_cast<size_t>(sequence.length * 24),
                 size = static_cast<size_t>(rows * 24);
      const model::RowSegment segment{&sequence, 0, rows};
      layer.advance({&segment, 1}, 0, values_of(x).subspan(at, size),
                    std::span(y).subspan(at, size));
      sequence.length += rows;
    }
    expect_near(y, layer.forward(x, {}), 2e-5);
  }
}

TEST(SoftmaxAttention, FrozenValueStillLetsQueriesLearn) {
  SoftmaxAttention layer(small_config(model::PositionKind::none));
  draw_parameters(layer);
  const auto named = layer.named_parameters();
  for (const char* name : {"value.weight", "value.bias"}) {
    at::Tensor parameter = named[name];
    parameter.set_requires_grad(false);
  }
  layer.forward(normal_tensor({2, 10, 24}, 1), {}).square().sum().backward();
  EXPECT_FALSE(named["value.weight"].grad().defined());
  EXPECT_GT(named["query_key.weight"].grad().abs().max().item<float>(), 0.0f);
}

}  // namespace
}  // namespace mesita::layers
