#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <span>
#include <vector>

namespace mesita::layers {

/// y = (x - mean) / sqrt(variance + epsilon) * weight + bias, over the last dimension (Ba et al.
/// 2016).
class LayerNorm : public torch::nn::Module {
 public:
  LayerNorm(int64_t width, double epsilon);

  /// x: [..., width] -> [..., width].
  at::Tensor forward(const at::Tensor& x) const;

  void prepare_inference();
  /// x, y: [rows, width].
  void apply_rows(std::span<const float> x, std::span<float> y) const;

 private:
  int64_t width_;
  double epsilon_;
  at::Tensor weight_;                               // [width], or [members, width]
  at::Tensor bias_;                                 // the same
  std::vector<float> weight_values_, bias_values_;  // the same, for inference
};

}  // namespace mesita::layers
