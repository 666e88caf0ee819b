#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace mesita::kernels {

/// Cosines and sines of the angles of rotary positions (Su et al. 2021): position t turns pair i of
/// a head by t base^(-2 i / head_width).
struct RotaryTable {
  std::vector<double> cosines;  // [context, head_width / 2]
  std::vector<double> sines;    // [context, head_width / 2]
};
RotaryTable rotary_table(int64_t context, int64_t head_width, double base);

/// Turns the pairs (x[i], x[i + head_width / 2]) of each head by the angles of one position.
/// x: [heads, head_width]; cosines, sines: [head_width / 2].
void rotate(std::span<float> x, std::span<const float> cosines, std::span<const float> sines);

}  // namespace mesita::kernels
