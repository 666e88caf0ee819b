#include "model/checkpoint/bfloat16.h"

#include <bit>
#include <cmath>

namespace mesita::checkpoint {

uint16_t to_bfloat16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  // Rounding could carry a NaN's payload into infinity, and truncation could lose it.
  if (std::isnan(value)) return static_cast<uint16_t>((bits >> 16) | 0x0040U);
  const uint32_t last_kept = (bits >> 16) & 1U;
  return static_cast<uint16_t>((bits + 0x7fffU + last_kept) >> 16);
}

float from_bfloat16(uint16_t bits) {
  return std::bit_cast<float>(uint32_t{bits} << 16);
}

}  // namespace mesita::checkpoint
