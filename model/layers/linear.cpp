#include "model/layers/linear.h"

#include <ATen/ops/baddbmm.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>

#include <vector>

#include "model/kernels/parallel.h"
#include "model/layers/tensor_values.h"

namespace mesita::layers {

Linear::Linear(int64_t inputs, int64_t outputs, Bias bias)
    : weight_(register_parameter("weight", at::empty({outputs, inputs}))) {
  if (bias == Bias::trained) bias_ = register_parameter("bias", at::empty({outputs}));
}

at::Tensor Linear::forward(const at::Tensor& x) const {
  if (weight_.dim() == 2) return at::linear(x, weight_, bias_);
  const at::Tensor rows = x.reshape({weight_.size(0), -1, x.size(-1)});
  const at::Tensor by_input = weight_.transpose(1, 2);
  std::vector<int64_t> sizes = x.sizes().vec();
  sizes.back() = weight_.size(1);
  return (bias_.defined() ? at::baddbmm(bias_.unsqueeze(1), rows, by_input)
                          : at::bmm(rows, by_input))
      .view(sizes);
}

void Linear::prepare_inference() {
  const std::vector<float> bias = bias_.defined() ? float_values(bias_) : std::vector<float>{};
  packed_ = kernels::PackedMatrix(float_values(weight_), bias, weight_.size(0), weight_.size(1));
}

void Linear::apply_rows(std::span<const float> x, std::span<float> y) const {
  multiply(packed_, x, y);
}

void multiply(const kernels::PackedMatrix& matrix, std::span<const float> x, std::span<float> y) {
  const auto values = static_cast<int64_t>(x.size());  // rows x inputs
  kernels::parallel(matrix.strips(), values * kernels::PackedMatrix::kStrip,
                    [&](int64_t first, int64_t last) { matrix.multiply(x, y, first, last); });
}

}  // namespace mesita::layers
