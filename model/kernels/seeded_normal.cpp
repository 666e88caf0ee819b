#include "model/kernels/seeded_normal.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

#define MESITA_INLINE inline __attribute__((always_inline))

namespace mesita::kernels {

namespace {

// Blocks computed together: long enough for vectors, short enough for the first-level cache.
constexpr size_t kBlocks = 64;
constexpr size_t kBatch = 4 * kBlocks;  // normals

MESITA_INLINE void philox_rounds(uint32_t& x0, uint32_t& x1, uint32_t& x2, uint32_t& x3,
                                 uint32_t key0, uint32_t key1) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t product0 = uint64_t{0xD2511F53} * x0;
    const uint64_t product1 = uint64_t{0xCD9E8D57} * x2;
    const uint32_t next0 = static_cast<uint32_t>(product1 >> 32) ^ x1 ^ key0;
    const uint32_t next2 = static_cast<uint32_t>(product0 >> 32) ^ x3 ^ key1;
    x0 = next0;
    x1 = static_cast<uint32_t>(product1);
    x2 = next2;
    x3 = static_cast<uint32_t>(product0);
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
}

// x in [0, 2^52) as a double, by integer operations and one exact subtraction: the conversion
// instruction is missing from AVX2.
MESITA_INLINE double exact_double(uint64_t x) {
  return std::bit_cast<double>(x | 0x4330000000000000U) - 0x1p52;
}

// log((word + 1/2) / 2^32) to about 1e-13: the number is 2^k m with m in [sqrt(1/2), sqrt(2)), and
// log m = 2 artanh(f), f = (m - 1) / (m + 1), by its Taylor series.
MESITA_INLINE double log_of_word(uint32_t word) {
  constexpr uint64_t kOne = 0x3ff0000000000000U;
  constexpr uint64_t kSqrtHalf = 0x3fe6a09e667f3bcdU;
  const uint64_t bits = std::bit_cast<uint64_t>(exact_double(word) + 0.5);
  const uint64_t exponent = (bits + (kOne - kSqrtHalf)) >> 52;  // k + 1023 + 32
  const double m = std::bit_cast<double>(bits - ((exponent - 1023) << 52));
  const double k = exact_double(exponent) - 1055.0;
  const double f = (m - 1.0) / (m + 1.0);
  const double f2 = f * f;
  double series = 1.0 / 17.0;
  series = series * f2 + 1.0 / 15.0;
  series = series * f2 + 1.0 / 13.0;
  series = series * f2 + 1.0 / 11.0;
  series = series * f2 + 1.0 / 9.0;
  series = series * f2 + 1.0 / 7.0;
  series = series * f2 + 1.0 / 5.0;
  series = series * f2 + 1.0 / 3.0;
  series = series * f2 + 1.0;
  return k * 0.6931471805599453 + (2.0 * f) * series;
}

// Sine and cosine of the angle 2 pi (word + 1/2) / 2^32: the angle is a number of quarter turns and
// a rest in (-pi/4, pi/4), whose sine and cosine are Taylor polynomials.
MESITA_INLINE void sine_cosine_of_word(uint32_t word, double& sine, double& cosine) {
  const uint32_t quarter_turns = (word + 0x20000000U) >> 30;
  const uint32_t shifted_rest = word - (quarter_turns << 30) + 0x20000000U;  // in [0, 2^30)
  const double angle =
      ((exact_double(shifted_rest) - 536870912.0) + 0.5) * 1.4629180792671596e-09;  // 2 pi / 2^32
  const double a2 = angle * angle;
  double s = -1.0 / 1307674368000.0;  // 15!
  s = s * a2 + 1.0 / 6227020800.0;
  s = s * a2 - 1.0 / 39916800.0;
  s = s * a2 + 1.0 / 362880.0;
  s = s * a2 - 1.0 / 5040.0;
  s = s * a2 + 1.0 / 120.0;
  s = s * a2 - 1.0 / 6.0;
  s = s * a2 + 1.0;
  s = s * angle;
  double c = 1.0 / 20922789888000.0;  // 16!
  c = c * a2 - 1.0 / 87178291200.0;
  c = c * a2 + 1.0 / 479001600.0;
  c = c * a2 - 1.0 / 3628800.0;
  c = c * a2 + 1.0 / 40320.0;
  c = c * a2 - 1.0 / 720.0;
  c = c * a2 + 1.0 / 24.0;
  c = c * a2 - 1.0 / 2.0;
  c = c * a2 + 1.0;
  // Turning by quarters swaps the two and flips signs; in integers, so that loops stay free of
  // branches.
  const uint64_t q = quarter_turns & 3U;
  const uint64_t swap = 0 - (q & 1U);
  const auto s_bits = std::bit_cast<uint64_t>(s);
  const auto c_bits = std::bit_cast<uint64_t>(c);
  const uint64_t difference = (s_bits ^ c_bits) & swap;
  sine = std::bit_cast<double>(s_bits ^ difference ^ ((q & 2U) << 62));
  cosine = std::bit_cast<double>(c_bits ^ difference ^ (((q + 1) & 2U) << 62));
}

// Normals number 4 first_block, ... of the stream.
MESITA_INLINE void fill_batch(uint64_t seed, uint64_t stream, uint64_t first_block,
                              float* normals) {
  uint32_t words[4][kBlocks];
  for (size_t i = 0; i < kBlocks; ++i) {
    const uint64_t block = first_block + i;
    uint32_t x0 = static_cast<uint32_t>(block);
    uint32_t x1 = static_cast<uint32_t>(block >> 32);
    uint32_t x2 = static_cast<uint32_t>(stream);
    uint32_t x3 = static_cast<uint32_t>(stream >> 32);
    philox_rounds(x0, x1, x2, x3, static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32));
    words[0][i] = x0;
    words[1][i] = x1;
    words[2][i] = x2;
    words[3][i] = x3;
  }
  float columns[4][kBlocks];
  for (size_t pair = 0; pair < 4; pair += 2) {
    for (size_t i = 0; i < kBlocks; ++i) {
      double sine = 0.0;
      double cosine = 0.0;
      sine_cosine_of_word(words[pair + 1][i], sine, cosine);
      const double radius = std::sqrt(-2.0 * log_of_word(words[pair][i]));
      columns[pair][i] = static_cast<float>(radius * cosine);
      columns[pair + 1][i] = static_cast<float>(radius * sine);
    }
  }
  for (size_t i = 0; i < kBlocks; ++i) {
    for (size_t column = 0; column < 4; ++column) normals[4 * i + column] = columns[column][i];
  }
}

MESITA_INLINE void fill(uint64_t seed, uint64_t stream, std::span<float> values) {
  uint64_t block = 0;
  size_t done = 0;
  for (; values.size() - done >= kBatch; done += kBatch, block += kBlocks) {
    fill_batch(seed, stream, block, values.data() + done);
  }
  if (done < values.size()) {
    float rest[kBatch];
    fill_batch(seed, stream, block, rest);
    std::copy_n(rest, values.size() - done, values.data() + done);
  }
}

void fill_baseline(uint64_t seed, uint64_t stream, std::span<float> values) {
  fill(seed, stream, values);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) void fill_avx2(uint64_t seed, uint64_t stream,
                                               std::span<float> values) {
  fill(seed, stream, values);
}

__attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,prefer-vector-width=512"))) void
fill_avx512(uint64_t seed, uint64_t stream, std::span<float> values) {
  fill(seed, stream, values);
}
#endif

InstructionSet widest() {
  for (const InstructionSet set : {InstructionSet::avx512, InstructionSet::avx2}) {
    if (runs_here(set)) return set;
  }
  return InstructionSet::baseline;
}

}  // namespace

std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
  philox_rounds(counter[0], counter[1], counter[2], counter[3], key[0], key[1]);
  return counter;
}

uint64_t stream_of(std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : name) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3U;
  }
  return hash;
}

bool runs_here(InstructionSet set) {
  switch (set) {
    case InstructionSet::baseline:
      return true;
#if defined(__x86_64__)
    case InstructionSet::avx2:
      return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
    case InstructionSet::avx512:
      return runs_here(InstructionSet::avx2) && __builtin_cpu_supports("avx512f") != 0 &&
             __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
             __builtin_cpu_supports("avx512vl") != 0;
#endif
    default:
      return false;
  }
}

void seeded_normal(InstructionSet set, uint64_t seed, uint64_t stream, std::span<float> values) {
  if (!runs_here(set)) {
    throw std::invalid_argument("this processor lacks the instructions of the chosen copy");
  }
  switch (set) {
#if defined(__x86_64__)
    case InstructionSet::avx512:
      return fill_avx512(seed, stream, values);
    case InstructionSet::avx2:
      return fill_avx2(seed, stream, values);
#endif
    default:
      return fill_baseline(seed, stream, values);
  }
}

void seeded_normal(uint64_t seed, uint64_t stream, std::span<float> values) {
  static const InstructionSet set = widest();
  seeded_normal(set, seed, stream, values);
}

double seeded_uniform(uint64_t seed, uint64_t stream, uint64_t position) {
  const auto words = philox({static_cast<uint32_t>(position), static_cast<uint32_t>(position >> 32),
                             static_cast<uint32_t>(stream), static_cast<uint32_t>(stream >> 32)},
                            {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)});
  const uint64_t bits = (uint64_t{words[1]} << 32) | words[0];
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

}  // namespace mesita::kernels
