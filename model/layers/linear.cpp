#include "model/layers/linear.h"

#include <ATen/ops/empty.h>

#include <vector>

#include "model/kernels/parallel.h"
#include "model/layers/linear_product.h"
#include "model/layers/tensor_values.h"

namespace mesita::layers {

Linear::Linear(int64_t inputs, int64_t outputs, Bias bias)
    : weight_(register_parameter("weight", at::empty({outputs, inputs}))) {
  if (bias == Bias::trained) bias_ = register_parameter("bias", at::empty({outputs}));
}

at::Tensor Linear::forward(const at::Tensor& x) const {
  return linear_product(x, weight_, bias_);
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
