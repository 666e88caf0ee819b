#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace mesita::kernels {

/// Philox 4x32-10 (Salmon et al. 2011): four random words for a counter and a key.
std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

/// Stream number of a tensor name: FNV-1a, 64 bits.
uint64_t stream_of(std::string_view name);

/// Fills `values` with standard normal numbers number 0, 1, 2, ... of the stream: a pure function
/// of (seed, stream, index), bit-identical on every machine: Philox words, Box-Muller, and own
/// polynomials evaluated in float64 with IEEE additions, multiplications, divisions and square
/// roots only (no libm, no contraction), rounded once to float32. No number exceeds 6.8 in size (32
/// bits decide the radius).
void seeded_normal(uint64_t seed, uint64_t stream, std::span<float> values);

/// Compiled copies of seeded_normal; the function above takes the widest that runs here.
enum class InstructionSet { baseline, avx2, avx512 };
/// True when the processor has all that MESITA_AVX2 or MESITA_AVX512 (dispatch.h) compile for.
bool runs_here(InstructionSet set);
/// The copy for `set`: same bits as every other. Only call it where runs_here(set).
void seeded_normal(InstructionSet set, uint64_t seed, uint64_t stream, std::span<float> values);

/// A number in [0, 1) with 53 bits, drawn from (seed, stream, position): what samplers use.
double seeded_uniform(uint64_t seed, uint64_t stream, uint64_t position);

}  // namespace mesita::kernels
