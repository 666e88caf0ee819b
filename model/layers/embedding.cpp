#include "model/layers/embedding.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/empty.h>

#include "model/layers/tensor_values.h"

namespace mesita::layers {

Embedding::Embedding(int64_t entries, int64_t width)
    : weight_(register_parameter("weight", at::empty({entries, width}))) {}

at::Tensor Embedding::forward(const at::Tensor& indices) const {
  if (weight_.dim() == 2) return at::embedding(weight_, indices);
  const int64_t members = weight_.size(0);
  const at::Tensor first = at::arange(members, indices.options()) * weight_.size(1);
  const at::Tensor in_all = indices.reshape({members, -1}) + first.unsqueeze(1);
  return at::embedding(weight_.flatten(0, 1), in_all.view(indices.sizes()));
}

at::Tensor Embedding::first(int64_t count, int64_t batch) const {
  if (weight_.dim() == 2) return weight_.narrow(0, 0, count);
  const at::Tensor indices = at::arange(count, weight_.options().dtype(at::kLong));
  return forward(indices.expand({batch, count}));
}

void Embedding::prepare_inference() {
  values_ = float_values(weight_);
}

std::span<const float> Embedding::row(int64_t index) const {
  const int64_t width = weight_.size(1);
  return {values_.data() + index * width, static_cast<size_t>(width)};
}

}  // namespace mesita::layers
