#include "model/kernels/packed_matrix.h"

#include <algorithm>
#include <stdexcept>

#include "model/kernels/lanes.h"

namespace mesita::kernels {
namespace {

/// A range of strips and the rows to multiply them with.
struct Product {
  const float* x;       // [rows, inputs]
  float* y;             // [rows, outputs]
  const float* strips;  // [strips, inputs, 16]
  const float* bias;    // [strips, 16]
  int64_t rows, inputs, outputs;
  int64_t first, last;  // strips
};

/// kRows rows times kStrips strips, all sums in registers of kWidth floats.
template <int kRows, int kStrips, int kWidth>
MESITA_INLINE void tile(const Product& p, int64_t row, int64_t strip) {
  constexpr int kParts = static_cast<int>(kLanes) / kWidth;  // of a strip
  constexpr int kRegisters = kStrips * kParts;
  Register<kWidth> sums[kRows][kRegisters];
  for (int s = 0; s < kRegisters; ++s) {
    const float* bias = p.bias + strip * kLanes + s * kWidth;
    for (int r = 0; r < kRows; ++r) sums[r][s] = load_register<kWidth>(bias);
  }
  const float* x = p.x + row * p.inputs;
  const float* weights = p.strips + strip * p.inputs * kLanes;
  for (int64_t k = 0; k < p.inputs; ++k) {
    Register<kWidth> w[kRegisters];
    for (int s = 0; s < kRegisters; ++s) {
      const int64_t begin = (s / kParts * p.inputs + k) * kLanes;
      w[s] = load_register<kWidth>(weights + begin + s % kParts * kWidth);
    }
    for (int r = 0; r < kRows; ++r) {
      const float value = x[r * p.inputs + k];
      for (int s = 0; s < kRegisters; ++s) sums[r][s] += value * w[s];
    }
  }
  for (int s = 0; s < kRegisters; ++s) {
    const int64_t column = strip * kLanes + s * kWidth;
    for (int r = 0; r < kRows; ++r) {
      store_first_register<kWidth>(p.y + (row + r) * p.outputs + column, sums[r][s],
                                   p.outputs - column);
    }
  }
}

/// tile<rows, kStrips> for a number of rows known at run time, at most kRows.
template <int kRows, int kStrips, int kWidth>
MESITA_INLINE void tile_of(int64_t rows, const Product& p, int64_t row, int64_t strip) {
  if (rows == kRows) return tile<kRows, kStrips, kWidth>(p, row, strip);
  if constexpr (kRows > 1) tile_of<kRows - 1, kStrips, kWidth>(rows, p, row, strip);
}

/// All rows in blocks of nearly equal size (at most kRows), kStrips strips at a time, which stay in
/// the cache while the rows pass.
template <int kRows, int kStrips, int kWidth>
MESITA_INLINE void many_rows(const Product& p) {
  const int64_t blocks = (p.rows + kRows - 1) / kRows;
  for (int64_t strip = p.first; strip < p.last;) {
    const bool wide = strip + kStrips <= p.last;
    int64_t row = 0;
    for (int64_t block = 0; block < blocks; ++block) {
      const int64_t rows = p.rows / blocks + (block < p.rows % blocks ? 1 : 0);
      if (wide) {
        tile_of<kRows, kStrips, kWidth>(rows, p, row, strip);
      } else {
        tile_of<kRows, 1, kWidth>(rows, p, row, strip);
      }
      row += rows;
    }
    strip += wide ? kStrips : 1;
  }
}

/// At most kRows rows: the fewer they are, the more strips at a time keep the multipliers busy.
template <int kRows, int kSums, int kWidth>
MESITA_INLINE void few_rows(const Product& p) {
  if (p.rows < kRows) {
    if constexpr (kRows > 1) few_rows<kRows - 1, kSums, kWidth>(p);
    return;
  }
  constexpr int kStrips = std::clamp(kSums / kRows, 1, 8);
  int64_t strip = p.first;
  for (; strip + kStrips <= p.last; strip += kStrips) tile<kRows, kStrips, kWidth>(p, 0, strip);
  for (; strip < p.last; ++strip) tile<kRows, 1, kWidth>(p, 0, strip);
}

template <int kRows, int kStrips, int kWidth>
MESITA_INLINE void multiply_strips(Product p) {
  if (p.rows <= kRows) return few_rows<kRows, kRows * kStrips, kWidth>(p);
  many_rows<kRows, kStrips, kWidth>(p);
}

}  // namespace

PackedMatrix::PackedMatrix(std::span<const float> weight, std::span<const float> bias,
                           int64_t outputs, int64_t inputs)
    : outputs_(outputs),
      inputs_(inputs),
      strips_(strips() * inputs * kStrip),
      bias_(strips() * kStrip) {
  if (static_cast<int64_t>(weight.size()) != outputs * inputs ||
      (!bias.empty() && static_cast<int64_t>(bias.size()) != outputs)) {
    throw std::invalid_argument("PackedMatrix: weight or bias does not have " +
                                std::to_string(outputs) + " outputs and " + std::to_string(inputs) +
                                " inputs");
  }
  for (int64_t n = 0; n < outputs; ++n) {
    float* strip = strips_.data() + n / kStrip * inputs * kStrip + n % kStrip;
    for (int64_t k = 0; k < inputs; ++k) strip[k * kStrip] = weight[n * inputs + k];
  }
  std::copy(bias.begin(), bias.end(), bias_.data());
}

void PackedMatrix::multiply(std::span<const float> x, std::span<float> y, int64_t first,
                            int64_t last, InstructionSet set) const {
  const int64_t rows = inputs_ == 0 ? 0 : static_cast<int64_t>(x.size()) / inputs_;
  if (rows == 0 || first >= last) return;
  const Product product{.x = x.data(),
                        .y = y.data(),
                        .strips = strips_.data(),
                        .bias = bias_.data(),
                        .rows = rows,
                        .inputs = inputs_,
                        .outputs = outputs_,
                        .first = first,
                        .last = last};
  // The sums of a tile fill three quarters of the registers: 32 of one strip each with AVX-512, 16
  // of half a strip with AVX2, 16 of a quarter without.
  switch (set) {
    case InstructionSet::avx512:
      return call_avx512<multiply_strips<8, 3, 16>>(product);
    case InstructionSet::avx2:
      return call_avx2<multiply_strips<6, 1, 8>>(product);
    case InstructionSet::baseline:
      return multiply_strips<3, 1, 4>(product);
  }
}

}  // namespace mesita::kernels
