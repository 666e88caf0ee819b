#include "model/kernels/exponential.h"

#include <limits>

#include "model/kernels/lanes.h"

namespace mesita::kernels {
namespace {

constexpr int64_t kWide = 8;
using WideLanes [[gnu::vector_size(64)]] = double;
using WideIntegers [[gnu::vector_size(64)]] = int64_t;

MESITA_INLINE WideLanes wide_exponential(WideLanes x) {
  const WideLanes low = -708.0 - WideLanes{}, high = 709.0 - WideLanes{};
  const WideIntegers vanishes = x < low;
  x = vanishes ? low : x;
  x = x > high ? high : x;
  // As for float32 (lanes.h); the rounder leaves n in the lowest bits of its sum.
  const double rounder = 6755399441055744.0;  // 1.5 * 2^52
  const WideLanes shifted = x * 1.4426950408889634 + rounder;
  const WideLanes n = shifted - rounder;
  const WideLanes r = (x - n * 0.693147180369123816490) - n * 1.90821492927058770002e-10;
  WideLanes p = 1.0 / 6227020800 - WideLanes{};
  p = p * r + 1.0 / 479001600;
  p = p * r + 1.0 / 39916800;
  p = p * r + 1.0 / 3628800;
  p = p * r + 1.0 / 362880;
  p = p * r + 1.0 / 40320;
  p = p * r + 1.0 / 5040;
  p = p * r + 1.0 / 720;
  p = p * r + 1.0 / 120;
  p = p * r + 1.0 / 24;
  p = p * r + 1.0 / 6;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  const WideIntegers exponent = reinterpret_cast<WideIntegers>(shifted) << 52;
  const WideLanes result =
      reinterpret_cast<WideLanes>(reinterpret_cast<WideIntegers>(p) + exponent);
  return vanishes ? WideLanes{} : result;
}

MESITA_INLINE WideLanes load_wide(const float* from, int64_t count) {
  float values[kWide];
  for (int64_t i = 0; i < kWide; ++i) {
    values[i] = i < count ? from[i] : -std::numeric_limits<float>::infinity();
  }
  WideLanes lanes;
  for (int64_t i = 0; i < kWide; ++i) lanes[i] = values[i];
  return lanes;
}

MESITA_INLINE void sum_values(const float* values, int64_t count, double shift, double* result) {
  WideLanes total = {};
  int64_t i = 0;
  for (; i + kWide <= count; i += kWide) {
    using Floats [[gnu::vector_size(32)]] = float;
    Floats part;
    std::memcpy(&part, values + i, sizeof part);
    total += wide_exponential(__builtin_convertvector(part, WideLanes) - shift);
  }
  if (i < count) total += wide_exponential(load_wide(values + i, count - i) - shift);
  *result = ((total[0] + total[4]) + (total[2] + total[6])) +
            ((total[1] + total[5]) + (total[3] + total[7]));
}

MESITA_INLINE void exponential_values(double* values, int64_t count) {
  for (int64_t i = 0; i < count; i += kWide) {
    const size_t bytes =
        static_cast<size_t>(count - i < kWide ? count - i : kWide) * sizeof(double);
    WideLanes lanes = {};
    std::memcpy(&lanes, values + i, bytes);
    lanes = wide_exponential(lanes);
    std::memcpy(values + i, &lanes, bytes);
  }
}

}  // namespace

double sum_of_exponentials(std::span<const float> values, double shift, InstructionSet set) {
  double result = 0.0;
  call<sum_values>(set, values.data(), static_cast<int64_t>(values.size()), shift, &result);
  return result;
}

void exponentials(std::span<double> values, InstructionSet set) {
  call<exponential_values>(set, values.data(), static_cast<int64_t>(values.size()));
}

}  // namespace mesita::kernels
