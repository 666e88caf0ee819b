#include "training/cross_entropy_rows.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/kernels/dispatch.h"
#include "model/kernels/lanes.h"

namespace mesita::training {
namespace {

using kernels::kLanes;
using kernels::Lanes;
using kernels::RegisterOf;

struct Rows {
  const int64_t* targets;
  int64_t rows, vocabulary;
  float scale;
  RowResult result;
  float* nats;
};

template <int kWidth>
MESITA_INLINE void widen(const uint16_t* from, float* to) {
  using Integers = typename RegisterOf<uint32_t, kWidth>::Type;
  for (int64_t i = 0; i < kLanes; i += kWidth) {
    typename RegisterOf<uint16_t, kWidth>::Type bits;
    std::memcpy(&bits, from + i, sizeof bits);
    const Integers wide = __builtin_convertvector(bits, Integers) << 16;
    std::memcpy(to + i, &wide, sizeof wide);
  }
}

// Rounds to the nearest, ties to even.
template <int kWidth>
MESITA_INLINE void narrow(const Lanes<kWidth>& from, uint16_t* to) {
  using Integers = typename RegisterOf<uint32_t, kWidth>::Type;
  using Shorts = typename RegisterOf<uint16_t, kWidth>::Type;
  float values[kLanes];
  from.to(values);
  for (int64_t i = 0; i < kLanes; i += kWidth) {
    Integers bits;
    std::memcpy(&bits, values + i, sizeof bits);
    bits = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    const Shorts rounded = __builtin_convertvector(bits, Shorts);
    std::memcpy(to + i, &rounded, sizeof rounded);
  }
}

// x: [padded], a row followed by -inf up to a whole number of lanes. Replaces x by e^(x - max).
template <int kWidth>
MESITA_INLINE void exponentials(float* x, int64_t padded, float& largest, float& total) {
  Lanes<kWidth> top = kernels::load<kWidth>(x);
  for (int64_t i = kLanes; i < padded; i += kLanes) {
    const Lanes<kWidth> lanes = kernels::load<kWidth>(x + i);
    top = larger(top, lanes);
  }
  largest = kernels::maximum<kWidth>(top);
  const Lanes<kWidth> shift = kernels::broadcast<kWidth>(largest);
  Lanes<kWidth> sums = {};
  for (int64_t i = 0; i < padded; i += kLanes) {
    const Lanes<kWidth> lanes = kernels::exponential<kWidth>(kernels::load<kWidth>(x + i) - shift);
    kernels::store<kWidth>(x + i, lanes);
    sums += lanes;
  }
  total = kernels::sum<kWidth>(sums);
}

template <int kWidth>
MESITA_INLINE void read_row(const float* row, int64_t vocabulary, float* x) {
  std::memcpy(x, row, static_cast<size_t>(vocabulary) * sizeof(float));
}

template <int kWidth>
MESITA_INLINE void read_row(const uint16_t* row, int64_t vocabulary, float* x) {
  int64_t i = 0;
  for (; i + kLanes <= vocabulary; i += kLanes) widen<kWidth>(row + i, x + i);
  for (; i < vocabulary; ++i) {
    const uint32_t bits = static_cast<uint32_t>(row[i]) << 16;
    std::memcpy(x + i, &bits, sizeof bits);
  }
}

template <int kWidth>
MESITA_INLINE void write_row(const float* x, int64_t vocabulary, float factor, float* row) {
  const Lanes<kWidth> factors = kernels::broadcast<kWidth>(factor);
  for (int64_t i = 0; i < vocabulary; i += kLanes)
    kernels::store_first<kWidth>(row + i, kernels::load<kWidth>(x + i) * factors, vocabulary - i);
}

template <int kWidth>
MESITA_INLINE void write_row(const float* x, int64_t vocabulary, float factor, uint16_t* row) {
  const Lanes<kWidth> factors = kernels::broadcast<kWidth>(factor);
  int64_t i = 0;
  for (; i + kLanes <= vocabulary; i += kLanes)
    narrow<kWidth>(kernels::load<kWidth>(x + i) * factors, row + i);
  if (i == vocabulary) return;
  uint16_t rest[kLanes];
  narrow<kWidth>(kernels::load<kWidth>(x + i) * factors, rest);
  std::memcpy(row + i, rest, static_cast<size_t>(vocabulary - i) * sizeof(uint16_t));
}

template <typename Number, int kWidth>
MESITA_INLINE void all_rows(Number* logits, Rows rows, float* x, int64_t padded) {
  for (int64_t r = 0; r < rows.rows; ++r) {
    Number* row = logits + r * rows.vocabulary;
    const int64_t target = rows.targets[r];
    if (target < 0) {
      rows.nats[r] = 0.0f;
      if (rows.result == RowResult::loss_and_gradient) std::fill_n(row, rows.vocabulary, Number{});
      continue;
    }
    read_row<kWidth>(row, rows.vocabulary, x);
    std::fill(x + rows.vocabulary, x + padded, -INFINITY);
    const float chosen = x[target];
    float largest = 0.0f, total = 0.0f;
    exponentials<kWidth>(x, padded, largest, total);
    rows.nats[r] = std::log(total) + largest - chosen;
    if (rows.result == RowResult::loss) continue;
    x[target] -= total;
    write_row<kWidth>(x, rows.vocabulary, rows.scale / total, row);
  }
}

template <typename Number>
void run(Number* logits, Rows rows) {
  const int64_t padded = (rows.vocabulary + kLanes - 1) / kLanes * kLanes;
  std::vector<float> x(static_cast<size_t>(padded));
  kernels::call<all_rows<Number, 16>, all_rows<Number, 8>, all_rows<Number, 4>>(
      kernels::machine_instruction_set(), logits, rows, x.data(), padded);
}

}  // namespace

void cross_entropy_rows(float* logits, const int64_t* targets, int64_t rows, int64_t vocabulary,
                        float scale, RowResult result, float* nats) {
  run(logits, {targets, rows, vocabulary, scale, result, nats});
}

void cross_entropy_rows(uint16_t* logits, const int64_t* targets, int64_t rows, int64_t vocabulary,
                        float scale, RowResult result, float* nats) {
  run(logits, {targets, rows, vocabulary, scale, result, nats});
}

}  // namespace mesita::training
