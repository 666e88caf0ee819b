#include "training/cross_entropy_rows.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/kernels/dispatch.h"
#include "model/kernels/lanes.h"

namespace mesita::training {
namespace {

using kernels::broadcast;
using kernels::kLanes;
using kernels::LaneIntegers;
using kernels::Lanes;

using ShortLanes [[gnu::vector_size(32)]] = uint16_t;

struct Rows {
  const int64_t* targets;
  int64_t rows, vocabulary;
  float scale;
  RowResult result;
  float* nats;
};

MESITA_INLINE void widen(const uint16_t* from, float* to) {
  ShortLanes bits;
  std::memcpy(&bits, from, sizeof bits);
  const LaneIntegers wide = __builtin_convertvector(bits, LaneIntegers) << 16;
  kernels::store(to, reinterpret_cast<Lanes>(wide));
}

// Rounds to the nearest, ties to even.
MESITA_INLINE void narrow(const Lanes& from, uint16_t* to) {
  using Bits [[gnu::vector_size(64)]] = uint32_t;
  Bits bits = reinterpret_cast<Bits>(from);
  bits = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  const ShortLanes narrow_bits = __builtin_convertvector(bits, ShortLanes);
  std::memcpy(to, &narrow_bits, sizeof narrow_bits);
}

// x: [padded], a row followed by -inf up to a whole number of lanes. Replaces x by e^(x - max).
MESITA_INLINE void exponentials(float* x, int64_t padded, float& largest, float& total) {
  Lanes top = kernels::load(x);
  for (int64_t i = kLanes; i < padded; i += kLanes) {
    const Lanes lanes = kernels::load(x + i);
    top = lanes > top ? lanes : top;
  }
  largest = kernels::maximum(top);
  const Lanes shift = broadcast(largest);
  Lanes sums = {};
  for (int64_t i = 0; i < padded; i += kLanes) {
    const Lanes lanes = kernels::exponential(kernels::load(x + i) - shift);
    kernels::store(x + i, lanes);
    sums += lanes;
  }
  total = kernels::sum(sums);
}

MESITA_INLINE void read_row(const float* row, int64_t vocabulary, float* x) {
  std::memcpy(x, row, static_cast<size_t>(vocabulary) * sizeof(float));
}

MESITA_INLINE void read_row(const uint16_t* row, int64_t vocabulary, float* x) {
  int64_t i = 0;
  for (; i + kLanes <= vocabulary; i += kLanes) widen(row + i, x + i);
  for (; i < vocabulary; ++i) {
    const uint32_t bits = static_cast<uint32_t>(row[i]) << 16;
    std::memcpy(x + i, &bits, sizeof bits);
  }
}

MESITA_INLINE void write_row(const float* x, int64_t vocabulary, float factor, float* row) {
  const Lanes factors = broadcast(factor);
  for (int64_t i = 0; i < vocabulary; i += kLanes)
    kernels::store_first(row + i, kernels::load(x + i) * factors, vocabulary - i);
}

MESITA_INLINE void write_row(const float* x, int64_t vocabulary, float factor, uint16_t* row) {
  const Lanes factors = broadcast(factor);
  int64_t i = 0;
  for (; i + kLanes <= vocabulary; i += kLanes) narrow(kernels::load(x + i) * factors, row + i);
  if (i == vocabulary) return;
  uint16_t rest[kLanes];
  narrow(kernels::load(x + i) * factors, rest);
  std::memcpy(row + i, rest, static_cast<size_t>(vocabulary - i) * sizeof(uint16_t));
}

template <typename Number>
MESITA_INLINE void all_rows(Number* logits, Rows rows, float* x, int64_t padded) {
  for (int64_t r = 0; r < rows.rows; ++r) {
    Number* row = logits + r * rows.vocabulary;
    const int64_t target = rows.targets[r];
    if (target < 0) {
      rows.nats[r] = 0.0f;
      if (rows.result == RowResult::loss_and_gradient) std::fill_n(row, rows.vocabulary, Number{});
      continue;
    }
    read_row(row, rows.vocabulary, x);
    std::fill(x + rows.vocabulary, x + padded, -INFINITY);
    const float chosen = x[target];
    float largest = 0.0f, total = 0.0f;
    exponentials(x, padded, largest, total);
    rows.nats[r] = std::log(total) + largest - chosen;
    if (rows.result == RowResult::loss) continue;
    x[target] -= total;
    write_row(x, rows.vocabulary, rows.scale / total, row);
  }
}

template <typename Number>
void run(Number* logits, Rows rows) {
  const int64_t padded = (rows.vocabulary + kLanes - 1) / kLanes * kLanes;
  std::vector<float> x(static_cast<size_t>(padded));
  kernels::call<all_rows<Number>>(kernels::machine_instruction_set(), logits, rows, x.data(),
                                  padded);
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
