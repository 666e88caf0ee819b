#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>
#include <torch/nn/module.h>

#include <span>
#include <vector>

#include "model/kernels/seeded_normal.h"

namespace mesita::layers {

/// Standard normal numbers times `scale`.
inline at::Tensor normal_tensor(at::IntArrayRef shape, uint64_t stream, float scale = 1.0f) {
  std::vector<float> values(static_cast<size_t>(c10::multiply_integers(shape)));
  kernels::seeded_normal(3, stream, values);
  return at::from_blob(values.data(), shape, at::kFloat).mul(scale);
}

/// Gives every parameter of a layer values that matter.
inline void draw_parameters(torch::nn::Module& layer) {
  const c10::NoGradGuard no_grad;
  uint64_t stream = 100;
  for (at::Tensor& parameter : layer.parameters()) {
    parameter.copy_(normal_tensor(parameter.sizes(), stream++, 0.4f));
  }
}

inline std::span<const float> values_of(const at::Tensor& tensor) {
  return {tensor.const_data_ptr<float>(), static_cast<size_t>(tensor.numel())};
}

inline void expect_near(std::span<const float> ours, const at::Tensor& expected, double tolerance) {
  const at::Tensor values = expected.detach().contiguous();
  ASSERT_EQ(static_cast<int64_t>(ours.size()), values.numel());
  for (size_t i = 0; i < ours.size(); ++i) {
    ASSERT_NEAR(ours[i], values_of(values)[i], tolerance) << i;
  }
}

}  // namespace mesita::layers
