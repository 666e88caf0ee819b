#include "model/kernels/matrix_product.h"

#include <algorithm>

#include "model/kernels/aligned_array.h"
#include "model/kernels/lanes.h"

namespace mesita::kernels {
namespace {

// A block of the right matrix is copied so that the kernel reads it from beginning to end: panels
// of kStrips x 16 columns, [panel][k][column]. One panel stays in the first cache while the rows of
// the left matrix pass, all panels of a block in the second.
constexpr int64_t kInnerBlock = 256;
constexpr int64_t kColumnBlock = 512;
constexpr int64_t kRowBlock = 192;
constexpr int64_t kMostStrips = 3;

struct Scratch {
  AlignedArray right{kInnerBlock * (kColumnBlock + kMostStrips * kLanes)};
  AlignedArray left{kInnerBlock * kRowBlock};
};

/// One block of the inner dimension for some rows and one panel.
struct Tile {
  const float* left;  // element (r, k) at r * row_step + k * inner_step
  int64_t row_step, inner_step;
  const float* panel;  // [inner][strips * 16]
  const float* bias;   // of its columns; none: sums go on from the result
  float* result;
  int64_t result_stride;
  int64_t columns;  // that are real
  int64_t inner;
};

template <int kRows, int kStrips, int kWidth>
MESITA_INLINE void compute(const Tile& t) {
  constexpr int kRegisters = kStrips * static_cast<int>(kLanes) / kWidth;
  Register<kWidth> sums[kRows][kRegisters];
  for (int s = 0; s < kRegisters; ++s) {
    for (int r = 0; r < kRows; ++r) {
      const float* from = t.bias ? t.bias : t.result + r * t.result_stride;
      sums[r][s] = load_first_register<kWidth>(from + s * kWidth, t.columns - s * kWidth);
    }
  }
  const float* left = t.left;
  const float* panel = t.panel;
  for (int64_t k = 0; k < t.inner; ++k) {
    Register<kWidth> right[kRegisters];
    for (int s = 0; s < kRegisters; ++s) right[s] = load_register<kWidth>(panel + s * kWidth);
    for (int r = 0; r < kRows; ++r) {
      const float value = left[r * t.row_step];
      for (int s = 0; s < kRegisters; ++s) sums[r][s] += value * right[s];
    }
    left += t.inner_step;
    panel += kStrips * kLanes;
  }
  for (int s = 0; s < kRegisters; ++s) {
    for (int r = 0; r < kRows; ++r)
      store_first_register<kWidth>(t.result + r * t.result_stride + s * kWidth, sums[r][s],
                                   t.columns - s * kWidth);
  }
}

template <int kRows, int kStrips, int kWidth>
MESITA_INLINE void compute_rows(int64_t rows, const Tile& tile) {
  if (rows == kRows) return compute<kRows, kStrips, kWidth>(tile);
  if constexpr (kRows > 1) compute_rows<kRows - 1, kStrips, kWidth>(rows, tile);
}

/// Sixteen columns from `from` for `inner` values of k, `width` floats from one k to the next.
template <int kWidth>
MESITA_INLINE void copy_strip(const MatrixView& right, int64_t k, int64_t inner, int64_t column,
                              int64_t columns, int64_t width, float* to) {
  if (right.column_stride == 1) {
    for (int64_t i = 0; i < inner; ++i)
      store<kWidth>(to + i * width, load_first<kWidth>(right.at(k + i, column), columns));
    return;
  }
  for (int64_t i = 0; i < inner; ++i) store<kWidth>(to + i * width, Lanes<kWidth>{});
  const int64_t real = std::min(columns, kLanes);
  // In pieces, so that what is written stays in the cache until its last column.
  constexpr int64_t kPiece = 64;
  for (int64_t first = 0; first < inner; first += kPiece) {
    const int64_t last = std::min(inner, first + kPiece);
    for (int64_t j = 0; j < real; ++j) {
      const float* from = right.at(k, column + j);
      for (int64_t i = first; i < last; ++i) to[i * width + j] = from[i * right.row_stride];
    }
  }
}

template <int kStrips, int kWidth>
MESITA_INLINE void copy_right(const MatrixProduct& p, int64_t k, int64_t inner, int64_t column,
                              int64_t columns, float* to) {
  while (columns > 0) {
    const int64_t strips = columns > (kStrips - 1) * kLanes ? kStrips : 1;
    for (int64_t s = 0; s < strips; ++s)
      copy_strip<kWidth>(p.right, k, inner, column + s * kLanes, columns - s * kLanes,
                         strips * kLanes, to + s * kLanes);
    to += inner * strips * kLanes;
    column += strips * kLanes;
    columns -= strips * kLanes;
  }
}

/// Rows of a block of the left matrix as [k][row], `step` floats from one k to the next.
MESITA_INLINE void copy_left(const MatrixProduct& p, int64_t row, int64_t rows, int64_t k,
                             int64_t inner, int64_t step, float* to) {
  for (int64_t i = 0; i < inner; ++i) {
    const float* from = p.left.at(row, k + i);
    for (int64_t r = 0; r < rows; ++r) to[i * step + r] = from[r * p.left.row_stride];
  }
}

/// One block of columns and of the inner dimension, all rows.
template <int kRows, int kStrips, int kWidth>
MESITA_INLINE void multiply_block(const MatrixProduct& p, int64_t k, int64_t inner, int64_t column,
                                  int64_t columns, const float* zeros, Scratch& scratch) {
  copy_right<kStrips, kWidth>(p, k, inner, column, columns, scratch.right.data());
  // Neighbours in k that lie far apart, or rows that fall on the same places of the cache.
  const bool copies = p.left.column_stride != 1 || p.left.row_stride % 1024 == 0;
  for (int64_t first = 0; first < p.rows; first += kRowBlock) {
    const int64_t rows = std::min(kRowBlock, p.rows - first);
    const int64_t blocks = (rows + kRows - 1) / kRows;
    // Row blocks of nearly equal size: a block of few rows leaves the multipliers idle.
    const auto begin_of = [&](int64_t block) { return block * rows / blocks; };
    if (copies) {
      for (int64_t b = 0; b < blocks; ++b)
        copy_left(p, first + begin_of(b), begin_of(b + 1) - begin_of(b), k, inner, kRows,
                  scratch.left.data() + b * kRows * inner);
    }
    const float* panel = scratch.right.data();
    for (int64_t j = 0; j < columns;) {
      const int64_t left_over = columns - j;
      const bool wide = left_over > (kStrips - 1) * kLanes;
      const int64_t width = (wide ? kStrips : 1) * kLanes;
      for (int64_t b = 0; b < blocks; ++b) {
        const int64_t row = first + begin_of(b);
        const float* bias = p.bias ? p.bias + column + j : zeros;
        const Tile tile{
            .left = copies ? scratch.left.data() + b * kRows * inner : p.left.at(row, k),
            .row_step = copies ? 1 : p.left.row_stride,
            .inner_step = copies ? kRows : 1,
            .panel = panel,
            .bias = k == 0 ? bias : nullptr,
            .result = p.result + row * p.result_stride + column + j,
            .result_stride = p.result_stride,
            .columns = left_over,
            .inner = inner};
        if (wide) {
          compute_rows<kRows, kStrips, kWidth>(begin_of(b + 1) - begin_of(b), tile);
        } else {
          compute_rows<kRows, 1, kWidth>(begin_of(b + 1) - begin_of(b), tile);
        }
      }
      panel += inner * width;
      j += width;
    }
  }
}

template <int kRows, int kStrips, int kWidth>
MESITA_INLINE void multiply_all(const MatrixProduct& p, Scratch& scratch) {
  static_assert(kRowBlock % kRows == 0 && kStrips <= kMostStrips, "the scratch holds them");
  static constexpr float kZeros[kStrips * kLanes] = {};
  for (int64_t column = 0; column < p.columns; column += kColumnBlock) {
    const int64_t columns = std::min(kColumnBlock, p.columns - column);
    int64_t k = 0;
    do {
      const int64_t inner = std::min(kInnerBlock, p.inner - k);
      multiply_block<kRows, kStrips, kWidth>(p, k, inner, column, columns, kZeros, scratch);
      k += kInnerBlock;
    } while (k < p.inner);
  }
}

// By pointer: what call() passes is copied.
template <int kRows, int kStrips, int kWidth>
MESITA_INLINE void multiply_with(const MatrixProduct* product, Scratch* scratch) {
  multiply_all<kRows, kStrips, kWidth>(*product, *scratch);
}

}  // namespace

void multiply(const MatrixProduct& product, InstructionSet set) {
  if (product.rows <= 0 || product.columns <= 0) return;
  thread_local Scratch scratch;
  // The sums fill three quarters of the registers.
  switch (set) {
    case InstructionSet::avx512:
      return call_avx512<multiply_with<8, 3, 16>>(&product, &scratch);
    case InstructionSet::avx2:
      return call_avx2<multiply_with<6, 1, 8>>(&product, &scratch);
    case InstructionSet::baseline:
      return multiply_with<3, 1, 4>(&product, &scratch);
  }
}

MatrixProduct part(const MatrixProduct& product, int64_t row, int64_t rows, int64_t column,
                   int64_t columns) {
  MatrixProduct result = product;
  result.left.data = product.left.at(row, 0);
  result.right.data = product.right.at(0, column);
  if (product.bias) result.bias = product.bias + column;
  result.result = product.result + row * product.result_stride + column;
  result.rows = rows;
  result.columns = columns;
  return result;
}

}  // namespace mesita::kernels
