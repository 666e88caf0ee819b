#pragma once

#include <cstdint>

#include "model/kernels/dispatch.h"

namespace mesita::kernels {

/// A matrix in memory: element (i, j) lies at data[i * row_stride + j * column_stride]; fast where
/// one of the strides is 1. The transpose of a matrix is the same memory with strides swapped.
struct MatrixView {
  const float* data = nullptr;
  int64_t row_stride = 0;
  int64_t column_stride = 1;

  const float* at(int64_t row, int64_t column) const {
    return data + row * row_stride + column * column_stride;
  }
};

/// result [rows, columns] = bias + left [rows, inner] . right [inner, columns], in float32. The
/// product of training, whose matrices change with every step; inference has PackedMatrix.
struct MatrixProduct {
  MatrixView left;
  MatrixView right;
  const float* bias = nullptr;  // [columns], or none
  float* result = nullptr;      // row-major
  int64_t result_stride = 0;
  int64_t rows = 0, columns = 0, inner = 0;
};

/// Each element is bias + the sum over k = 0, 1, 2, ... in this order, by fused multiply-adds where
/// the set has them: the same bits with AVX2 and AVX-512, however the work is cut into parts.
/// One thread. `result` must not overlap what is read.
void multiply(const MatrixProduct& product, InstructionSet set = machine_instruction_set());

/// The part of a product that makes the rows [row, row + rows) and columns [column, column +
/// columns) of the result.
MatrixProduct part(const MatrixProduct& product, int64_t row, int64_t rows, int64_t column,
                   int64_t columns);

}  // namespace mesita::kernels
