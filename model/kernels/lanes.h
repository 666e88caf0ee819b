#pragma once

#include <cstdint>
#include <cstring>

// Sixteen floats side by side, the unit of all inference kernels. The compiler turns one Lanes into
// one, two or four registers, so an element's arithmetic does not depend on the register width.
// Only for kernel sources: they are compiled with -Wno-psabi, as these functions are always inlined
// and never pass a vector through a real call.

namespace mesita::kernels {

constexpr int64_t kLanes = 16;

using Lanes [[gnu::vector_size(64)]] = float;
using LaneIntegers [[gnu::vector_size(64)]] = int32_t;

#define MESITA_INLINE [[gnu::always_inline]] inline

MESITA_INLINE Lanes load(const float* from) {
  Lanes lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

/// The first `count` lanes from memory, zeros after them.
MESITA_INLINE Lanes load_first(const float* from, int64_t count) {
  if (count >= kLanes) return load(from);
  Lanes lanes = {};
  std::memcpy(&lanes, from, static_cast<size_t>(count) * sizeof(float));
  return lanes;
}

MESITA_INLINE void store(float* to, const Lanes& lanes) {
  std::memcpy(to, &lanes, sizeof lanes);
}

/// Writes the first `count` lanes.
MESITA_INLINE void store_first(float* to, const Lanes& lanes, int64_t count) {
  if (count >= kLanes) return store(to, lanes);
  std::memcpy(to, &lanes, static_cast<size_t>(count) * sizeof(float));
}

MESITA_INLINE Lanes broadcast(float value) {
  return value - Lanes{};
}

/// 0, 1, ..., 15.
MESITA_INLINE LaneIntegers lane_numbers() {
  return LaneIntegers{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
}

/// Part of a Lanes that is one register of an instruction set. GCC keeps wider vectors than the
/// machine's in memory, which costs products most of their speed: their inner loops use these.
template <int kWidth>
struct RegisterOf {
  using Type [[gnu::vector_size(kWidth * sizeof(float))]] = float;
};
template <int kWidth>
using Register = typename RegisterOf<kWidth>::Type;

template <int kWidth>
MESITA_INLINE Register<kWidth> load_register(const float* from) {
  Register<kWidth> value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// The first `count` numbers from memory, which may be none, zeros after them.
template <int kWidth>
MESITA_INLINE Register<kWidth> load_first_register(const float* from, int64_t count) {
  if (count >= kWidth) return load_register<kWidth>(from);
  Register<kWidth> value = {};
  if (count > 0) std::memcpy(&value, from, static_cast<size_t>(count) * sizeof(float));
  return value;
}

/// Writes the first `count` numbers, which may be none.
template <int kWidth>
MESITA_INLINE void store_first_register(float* to, const Register<kWidth>& value, int64_t count) {
  if (count >= kWidth) {
    std::memcpy(to, &value, sizeof value);
  } else if (count > 0) {
    std::memcpy(to, &value, static_cast<size_t>(count) * sizeof(float));
  }
}

/// Sum of all lanes, always in the same order.
MESITA_INLINE float sum(const Lanes& lanes) {
  float parts[kLanes];
  store(parts, lanes);
  for (int64_t half = kLanes / 2; half > 0; half /= 2) {
    for (int64_t i = 0; i < half; ++i) parts[i] += parts[i + half];
  }
  return parts[0];
}

MESITA_INLINE float maximum(const Lanes& lanes) {
  float parts[kLanes];
  store(parts, lanes);
  for (int64_t half = kLanes / 2; half > 0; half /= 2) {
    for (int64_t i = 0; i < half; ++i)
      parts[i] = parts[i] > parts[i + half] ? parts[i] : parts[i + half];
  }
  return parts[0];
}

/// e^x with a relative error below 2e-7; x is held within [-87, 88].
MESITA_INLINE Lanes exponential(Lanes x) {
  // e^x = 2^n e^r with n whole and |r| <= ln 2 / 2; n is rounded by adding 1.5 * 2^23, and ln 2 is
  // split so that n ln 2 loses nothing.
  const Lanes low = broadcast(-87.0f), high = broadcast(88.0f);
  x = x < low ? low : x;
  x = x > high ? high : x;
  const float rounder = 12582912.0f;
  const Lanes shifted = x * 1.44269504f + rounder;
  const Lanes n = shifted - rounder;
  const Lanes r = (x - n * 0.693359375f) - n * -2.12194440e-4f;
  // e^r = 1 + r + r^2 p(r), coefficients of Cephes' expf: small terms first, so little is rounded.
  Lanes p = broadcast(1.9875691500e-4f);
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + r + 1.0f;
  const LaneIntegers exponent = __builtin_convertvector(n, LaneIntegers) << 23;
  return reinterpret_cast<Lanes>(reinterpret_cast<LaneIntegers>(p) + exponent);
}

}  // namespace mesita::kernels
