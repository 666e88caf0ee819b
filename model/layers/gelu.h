#pragma once

#include <ATen/core/Tensor.h>

namespace mesita::layers {

/// GPT-2's GELU (kernels/row_operations.h), with autograd, for any shape. Float32 on a CPU
/// with AVX2 or AVX-512 goes through our kernel, anything else through LibTorch's.
at::Tensor gelu(const at::Tensor& x);

}  // namespace mesita::layers
