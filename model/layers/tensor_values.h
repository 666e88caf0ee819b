#pragma once

#include <ATen/core/Tensor.h>

#include <span>
#include <vector>

namespace mesita::layers {

/// A copy of a tensor's values, row-major, as float32 on the CPU.
std::vector<float> float_values(const at::Tensor& tensor);

}  // namespace mesita::layers
