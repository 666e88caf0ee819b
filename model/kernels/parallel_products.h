#pragma once

#include <span>

#include "model/kernels/matrix_product.h"

namespace mesita::kernels {

/// multiply for each of some products of one shape, shared out over LibTorch's threads. The bits do
/// not depend on their number.
void multiply_all(std::span<const MatrixProduct> products);

}  // namespace mesita::kernels
