#pragma once

#include <torch/nn/module.h>

#include <memory>
#include <span>

#include "model/config.h"
#include "model/layers/linear.h"

namespace mesita::layers {

/// y = down(gelu(up(x))), each position by itself.
class FeedForward : public torch::nn::Module {
 public:
  explicit FeedForward(const model::ModelConfig& config);

  /// x: [batch, time, width] -> [batch, time, width].
  at::Tensor forward(const at::Tensor& x) const;

  void prepare_inference();
  /// x, y: [rows, width].
  void apply_rows(std::span<const float> x, std::span<float> y) const;

 private:
  int64_t width_;
  int64_t hidden_width_;
  std::shared_ptr<Linear> up_;    // width -> feed_forward
  std::shared_ptr<Linear> down_;  // feed_forward -> width
};

}  // namespace mesita::layers
