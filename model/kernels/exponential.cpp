#include "model/kernels/exponential.h"

#include <limits>

#include "model/kernels/lanes.h"

namespace mesita::kernels {
namespace {

constexpr int64_t kWide = 8;
/// Eight doubles in registers of as many bytes as kWidth floats.
template <int kWidth>
using WideLanes = Vector<double, static_cast<int>(kWide), kWidth / 2>;

template <int kWidth>
MESITA_INLINE WideLanes<kWidth> wide_broadcast(double value) {
  return WideLanes<kWidth>::of(value);
}

template <int kWidth>
MESITA_INLINE WideLanes<kWidth> wide_exponential(const WideLanes<kWidth>& argument) {
  const WideLanes<kWidth> x =
      smaller(larger(argument, wide_broadcast<kWidth>(-708.0)), wide_broadcast<kWidth>(709.0));
  // As for float32 (lanes.h); the rounder leaves n in the lowest bits of its sum.
  const double rounder = 6755399441055744.0;  // 1.5 * 2^52
  const WideLanes<kWidth> shifted = x * 1.4426950408889634 + rounder;
  const WideLanes<kWidth> n = shifted - rounder;
  const WideLanes<kWidth> r = (x - n * 0.693147180369123816490) - n * 1.90821492927058770002e-10;
  WideLanes<kWidth> p = wide_broadcast<kWidth>(1.0 / 6227020800);
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
  using Part = typename RegisterOf<double, kWidth / 2>::Type;
  using Integers = typename RegisterOf<int64_t, kWidth / 2>::Type;
  const auto scaled = WideLanes<kWidth>::each(p, shifted, [](Part power, Part whole) {
    const Integers exponent = reinterpret_cast<Integers>(whole) << 52;
    return reinterpret_cast<Part>(reinterpret_cast<Integers>(power) + exponent);
  });
  return zero_below(argument, -708.0, scaled);
}

/// The first `count` of eight floats, others vanish.
template <int kWidth>
MESITA_INLINE WideLanes<kWidth> load_wide(const float* from, int64_t count) {
  double values[kWide];
  for (int64_t i = 0; i < kWide; ++i)
    values[i] = i < count ? from[i] : -std::numeric_limits<double>::infinity();
  return WideLanes<kWidth>::from(values);
}

/// Eight floats.
template <int kCount, int kWidth>
MESITA_INLINE Vector<double, kCount, kWidth> widened(const float* from) {
  if constexpr (kCount == kWidth) {
    typename RegisterOf<float, kWidth>::Type floats;
    std::memcpy(&floats, from, sizeof floats);
    return {__builtin_convertvector(floats, typename RegisterOf<double, kWidth>::Type)};
  } else {
    return {widened<kCount / 2, kWidth>(from), widened<kCount / 2, kWidth>(from + kCount / 2)};
  }
}

template <int kWidth>
MESITA_INLINE void sum_values(const float* values, int64_t count, double shift, double* result) {
  WideLanes<kWidth> total = {};
  int64_t i = 0;
  for (; i + kWide <= count; i += kWide) {
    const WideLanes<kWidth> part = widened<kWide, kWidth / 2>(values + i);
    total += wide_exponential<kWidth>(part - shift);
  }
  if (i < count)
    total += wide_exponential<kWidth>(load_wide<kWidth>(values + i, count - i) - shift);
  double sums[kWide];
  total.to(sums);
  *result =
      ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

template <int kWidth>
MESITA_INLINE void exponential_values(double* values, int64_t count) {
  for (int64_t i = 0; i < count; i += kWide) {
    const size_t bytes =
        static_cast<size_t>(count - i < kWide ? count - i : kWide) * sizeof(double);
    double part[kWide] = {};
    std::memcpy(part, values + i, bytes);
    wide_exponential<kWidth>(WideLanes<kWidth>::from(part)).to(part);
    std::memcpy(values + i, part, bytes);
  }
}

}  // namespace

double sum_of_exponentials(std::span<const float> values, double shift, InstructionSet set) {
  double result = 0.0;
  MESITA_CALL(sum_values, set, values.data(), static_cast<int64_t>(values.size()), shift, &result);
  return result;
}

void exponentials(std::span<double> values, InstructionSet set) {
  MESITA_CALL(exponential_values, set, values.data(), static_cast<int64_t>(values.size()));
}

}  // namespace mesita::kernels
