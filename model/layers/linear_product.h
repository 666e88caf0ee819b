#pragma once

#include <ATen/core/Tensor.h>

namespace mesita::layers {

/// x W^T + b with autograd, as at::linear, and for members side by side as Linear describes it.
/// On a CPU, float32 goes through kernels/matrix_product.h: up to twice as fast as LibTorch's, the
/// same bits for any number of threads, and nothing is kept for a gradient that nobody wants.
/// x: [..., inputs]; weight: [outputs, inputs] or [members, outputs, inputs]; bias: [outputs] or
/// [members, outputs] or undefined -> [..., outputs].
at::Tensor linear_product(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

/// result = left . right, without autograd: matrices of two dimensions; the rows of the result are
/// contiguous. The same kernel where it can, else at::mm.
void product_out(const at::Tensor& left, const at::Tensor& right, const at::Tensor& result);

}  // namespace mesita::layers
