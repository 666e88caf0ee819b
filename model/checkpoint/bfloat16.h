#pragma once

#include <cstdint>

namespace mesita::checkpoint {

/// The upper half of a float32, rounded to nearest, ties to even; NaN stays NaN, values beyond the
/// largest bfloat16 become infinite.
uint16_t to_bfloat16(float value);

/// Exact.
float from_bfloat16(uint16_t bits);

}  // namespace mesita::checkpoint
