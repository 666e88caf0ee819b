#pragma once

#include <cstdint>
#include <cstring>

// Sixteen floats side by side, the unit of all kernels, as registers of the instruction set that a
// kernel is compiled for: kWidth floats each, 16 with AVX-512, 8 with AVX2, 4 without. (One vector
// of 64 bytes would do for all, but GCC keeps vectors that are wider than the machine's in memory.)
// An element's arithmetic does not depend on the width. Only for kernel sources: they are compiled
// with -Wno-psabi, as these functions are always inlined and never pass a vector through a real
// call.

namespace mesita::kernels {

constexpr int64_t kLanes = 16;

#define MESITA_INLINE [[gnu::always_inline]] inline

/// kWidth numbers in one register.
template <typename Number, int kWidth>
struct RegisterOf {
  using Type [[gnu::vector_size(kWidth * sizeof(Number))]] = Number;
};
template <int kWidth>
using Register = typename RegisterOf<float, kWidth>::Type;

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

/// kCount numbers side by side in registers of kWidth: two halves, down to a register. (Not an
/// array of registers, which GCC would keep in memory.)
template <typename Number, int kCount, int kWidth>
struct Vector {
  using Half = Vector<Number, kCount / 2, kWidth>;
  Half low, high;

  MESITA_INLINE static Vector from(const Number* memory) {
    return {Half::from(memory), Half::from(memory + kCount / 2)};
  }
  MESITA_INLINE static Vector of(Number value) { return {Half::of(value), Half::of(value)}; }
  MESITA_INLINE void to(Number* memory) const {
    low.to(memory);
    high.to(memory + kCount / 2);
  }
  /// work(register) for each, and work(register of a, register of b).
  template <typename Work>
  MESITA_INLINE static Vector each(const Vector& a, Work work) {
    return {Half::each(a.low, work), Half::each(a.high, work)};
  }
  template <typename Work>
  MESITA_INLINE static Vector each(const Vector& a, const Vector& b, Work work) {
    return {Half::each(a.low, b.low, work), Half::each(a.high, b.high, work)};
  }
};

template <typename Number, int kWidth>
struct Vector<Number, kWidth, kWidth> {
  using Part = typename RegisterOf<Number, kWidth>::Type;
  Part part;

  MESITA_INLINE static Vector from(const Number* memory) {
    Vector result;
    std::memcpy(&result.part, memory, sizeof result.part);
    return result;
  }
  MESITA_INLINE static Vector of(Number value) { return {value - Part{}}; }
  MESITA_INLINE void to(Number* memory) const { std::memcpy(memory, &part, sizeof part); }
  template <typename Work>
  MESITA_INLINE static Vector each(const Vector& a, Work work) {
    return {work(a.part)};
  }
  template <typename Work>
  MESITA_INLINE static Vector each(const Vector& a, const Vector& b, Work work) {
    return {work(a.part, b.part)};
  }
};

#define MESITA_VECTOR_OPERATOR(symbol)                                             \
  template <typename N, int C, int W>                                              \
  MESITA_INLINE Vector<N, C, W> operator symbol(const Vector<N, C, W>& a,          \
                                                const Vector<N, C, W>& b) {        \
    return Vector<N, C, W>::each(a, b, [](auto x, auto y) { return x symbol y; }); \
  }                                                                                \
  template <typename N, int C, int W>                                              \
  MESITA_INLINE Vector<N, C, W> operator symbol(const Vector<N, C, W>& a, N b) {   \
    return Vector<N, C, W>::each(a, [b](auto x) { return x symbol b; });           \
  }                                                                                \
  template <typename N, int C, int W>                                              \
  MESITA_INLINE Vector<N, C, W> operator symbol(N a, const Vector<N, C, W>& b) {   \
    return Vector<N, C, W>::each(b, [a](auto y) { return a symbol y; });           \
  }
MESITA_VECTOR_OPERATOR(+)
MESITA_VECTOR_OPERATOR(-)
MESITA_VECTOR_OPERATOR(*)
MESITA_VECTOR_OPERATOR(/)
#undef MESITA_VECTOR_OPERATOR

template <typename N, int C, int W>
MESITA_INLINE Vector<N, C, W>& operator+=(Vector<N, C, W>& a, const Vector<N, C, W>& b) {
  return a = a + b;
}
/// The smaller and the larger of two; `a` where it is not a number.
template <typename N, int C, int W>
MESITA_INLINE Vector<N, C, W> smaller(const Vector<N, C, W>& a, const Vector<N, C, W>& b) {
  return Vector<N, C, W>::each(a, b, [](auto x, auto y) { return y < x ? y : x; });
}
template <typename N, int C, int W>
MESITA_INLINE Vector<N, C, W> larger(const Vector<N, C, W>& a, const Vector<N, C, W>& b) {
  return Vector<N, C, W>::each(a, b, [](auto x, auto y) { return y > x ? y : x; });
}
/// Zero where a < bound, else value.
template <typename N, int C, int W>
MESITA_INLINE Vector<N, C, W> zero_below(const Vector<N, C, W>& a, N bound,
                                         const Vector<N, C, W>& value) {
  return Vector<N, C, W>::each(a, value, [bound](auto x, auto y) {
    const auto nothing = y - y;
    return x < bound ? decltype(nothing){} : y;
  });
}

template <int kWidth>
using Lanes = Vector<float, static_cast<int>(kLanes), kWidth>;

template <int kWidth>
MESITA_INLINE Lanes<kWidth> load(const float* from) {
  return Lanes<kWidth>::from(from);
}

/// The first `count` lanes from memory, zeros after them.
template <int kWidth>
MESITA_INLINE Lanes<kWidth> load_first(const float* from, int64_t count) {
  if (count >= kLanes) return load<kWidth>(from);
  float values[kLanes] = {};
  std::memcpy(values, from, static_cast<size_t>(count) * sizeof(float));
  return load<kWidth>(values);
}

template <int kWidth>
MESITA_INLINE void store(float* to, const Lanes<kWidth>& lanes) {
  lanes.to(to);
}

/// Writes the first `count` lanes.
template <int kWidth>
MESITA_INLINE void store_first(float* to, const Lanes<kWidth>& lanes, int64_t count) {
  if (count >= kLanes) return store<kWidth>(to, lanes);
  float values[kLanes];
  store<kWidth>(values, lanes);
  std::memcpy(to, values, static_cast<size_t>(count) * sizeof(float));
}

template <int kWidth>
MESITA_INLINE Lanes<kWidth> broadcast(float value) {
  return Lanes<kWidth>::of(value);
}

/// The first `count` lanes, `other` after them.
template <int kWidth>
MESITA_INLINE Lanes<kWidth> first_lanes(const Lanes<kWidth>& lanes, int64_t count, float other) {
  float values[kLanes];
  store<kWidth>(values, lanes);
  for (int64_t i = count; i < kLanes; ++i) values[i] = other;
  return load<kWidth>(values);
}

/// The first and the second half of a register.
template <int kWidth>
MESITA_INLINE void halve(const Register<kWidth>& whole, Register<kWidth / 2>& low,
                         Register<kWidth / 2>& high) {
  std::memcpy(&low, &whole, sizeof low);
  std::memcpy(&high, reinterpret_cast<const char*>(&whole) + sizeof low, sizeof high);
}

/// All lanes as one, by `work` on two registers or numbers, the upper half with the lower, always
/// in the same order.
template <int kCount, int kWidth, typename Work>
MESITA_INLINE float reduced(const Vector<float, kCount, kWidth>& lanes, Work work) {
  if constexpr (kCount > kWidth) {
    using Half = Vector<float, kCount / 2, kWidth>;
    return reduced<kCount / 2, kWidth>(Half::each(lanes.low, lanes.high, work), work);
  } else if constexpr (kWidth > 4) {
    Vector<float, kCount / 2, kWidth / 2> low, high;
    halve<kWidth>(lanes.part, low.part, high.part);
    return reduced<kCount / 2, kWidth / 2>(
        Vector<float, kCount / 2, kWidth / 2>::each(low, high, work), work);
  } else {
    const auto& last = lanes.part;
    return work(work(last[0], last[2]), work(last[1], last[3]));
  }
}

/// Sum of all lanes, always in the same order.
template <int kWidth>
MESITA_INLINE float sum(const Lanes<kWidth>& lanes) {
  return reduced<static_cast<int>(kLanes), kWidth>(lanes, [](auto a, auto b) { return a + b; });
}

template <int kWidth>
MESITA_INLINE float maximum(const Lanes<kWidth>& lanes) {
  return reduced<static_cast<int>(kLanes), kWidth>(lanes,
                                                   [](auto a, auto b) { return a > b ? a : b; });
}

/// e^x with a relative error below 2e-7; x is held within [-87, 88].
template <int kWidth>
MESITA_INLINE Lanes<kWidth> exponential(Lanes<kWidth> x) {
  // e^x = 2^n e^r with n whole and |r| <= ln 2 / 2; n is rounded by adding 1.5 * 2^23, and ln 2 is
  // split so that n ln 2 loses nothing.
  x = smaller(larger(x, broadcast<kWidth>(-87.0f)), broadcast<kWidth>(88.0f));
  const float rounder = 12582912.0f;
  const Lanes<kWidth> shifted = x * 1.44269504f + rounder;
  const Lanes<kWidth> n = shifted - rounder;
  const Lanes<kWidth> r = (x - n * 0.693359375f) - n * -2.12194440e-4f;
  // e^r = 1 + r + r^2 p(r), coefficients of Cephes' expf: small terms first, so little is rounded.
  Lanes<kWidth> p = broadcast<kWidth>(1.9875691500e-4f);
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + r + 1.0f;
  using Integers = typename RegisterOf<int32_t, kWidth>::Type;
  return Lanes<kWidth>::each(p, n, [](Register<kWidth> power, Register<kWidth> whole) {
    const Integers exponent = __builtin_convertvector(whole, Integers) << 23;
    return reinterpret_cast<Register<kWidth>>(reinterpret_cast<Integers>(power) + exponent);
  });
}

}  // namespace mesita::kernels
