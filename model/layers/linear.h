#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <span>

#include "model/kernels/packed_matrix.h"

namespace mesita::layers {

/// y = x W^T + b. In a model of several members (LanguageModel::members) weight and bias have a
/// leading dimension, and the batch is that of the members one after another.
class Linear : public torch::nn::Module {
 public:
  enum class Bias { none, trained };

  Linear(int64_t inputs, int64_t outputs, Bias bias);

  /// x: [..., inputs] -> [..., outputs].
  at::Tensor forward(const at::Tensor& x) const;

  void prepare_inference();
  /// x: [rows, inputs], y: [rows, outputs].
  void apply_rows(std::span<const float> x, std::span<float> y) const;

  const at::Tensor& weight() const { return weight_; }
  const at::Tensor& bias() const { return bias_; }

 private:
  at::Tensor weight_;  // [outputs, inputs], or [members, outputs, inputs]
  at::Tensor bias_;    // [outputs], or [members, outputs], or undefined
  kernels::PackedMatrix packed_;
};

/// All strips of a product, shared out over the threads. x: [rows, inputs], y: [rows, outputs].
void multiply(const kernels::PackedMatrix& matrix, std::span<const float> x, std::span<float> y);

}  // namespace mesita::layers
