#include "model/layers/embedding.h"

#include <ATen/ops/embedding.h>
#include <ATen/ops/empty.h>

#include "model/layers/tensor_values.h"

namespace mesita::layers {

Embedding::Embedding(int64_t entries, int64_t width)
    : weight_(register_parameter("weight", at::empty({entries, width}))) {}

at::Tensor Embedding::forward(const at::Tensor& indices) const {
  return at::embedding(weight_, indices);
}

at::Tensor Embedding::first(int64_t count) const {
  return weight_.narrow(0, 0, count);
}

void Embedding::prepare_inference() {
  values_ = float_values(weight_);
}

std::span<const float> Embedding::row(int64_t index) const {
  const int64_t width = weight_.size(1);
  return {values_.data() + index * width, static_cast<size_t>(width)};
}

}  // namespace mesita::layers
