#include "model/layers/layer_norm.h"

#include <ATen/ops/addcmul.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/layer_norm.h>

#include "model/kernels/parallel.h"
#include "model/kernels/row_operations.h"
#include "model/layers/tensor_values.h"

namespace mesita::layers {

LayerNorm::LayerNorm(int64_t width, double epsilon)
    : width_(width),
      epsilon_(epsilon),
      weight_(register_parameter("weight", at::empty({width}))),
      bias_(register_parameter("bias", at::empty({width}))) {}

at::Tensor LayerNorm::forward(const at::Tensor& x) const {
  if (weight_.dim() == 1) return at::layer_norm(x, {width_}, weight_, bias_, epsilon_);
  const at::Tensor rows = at::layer_norm(x, {width_}, {}, {}, epsilon_);
  return at::addcmul(bias_.unsqueeze(1), rows.view({weight_.size(0), -1, width_}),
                     weight_.unsqueeze(1))
      .view(x.sizes());
}

void LayerNorm::prepare_inference() {
  weight_values_ = float_values(weight_);
  bias_values_ = float_values(bias_);
}

void LayerNorm::apply_rows(std::span<const float> x, std::span<float> y) const {
  const auto width = static_cast<size_t>(width_);
  kernels::parallel(static_cast<int64_t>(x.size() / width), 2 * width_,
                    [&](int64_t first, int64_t last) {
                      const size_t at = static_cast<size_t>(first) * width;
                      const size_t count = static_cast<size_t>(last - first) * width;
                      kernels::layer_norm(x.subspan(at, count), weight_values_, bias_values_,
                                          static_cast<float>(epsilon_), y.subspan(at, count));
                    });
}

}  // namespace mesita::layers
