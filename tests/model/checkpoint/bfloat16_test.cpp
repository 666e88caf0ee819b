#include "model/checkpoint/bfloat16.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace mesita::checkpoint {
namespace {

float float_of(uint32_t bits) {
  return std::bit_cast<float>(bits);
}

TEST(Bfloat16, EveryBfloat16Survives) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = from_bfloat16(static_cast<uint16_t>(bits));
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(from_bfloat16(to_bfloat16(value)))) << bits;
    } else {
      ASSERT_EQ(to_bfloat16(value), bits);
    }
  }
}

TEST(Bfloat16, RoundsToNearestAndTiesToEven) {
  EXPECT_EQ(to_bfloat16(float_of(0x3f800000)), 0x3f80);
  EXPECT_EQ(to_bfloat16(float_of(0x3f807fff)), 0x3f80);
  EXPECT_EQ(to_bfloat16(float_of(0x3f808000)), 0x3f80);  // tie, even below
  EXPECT_EQ(to_bfloat16(float_of(0x3f808001)), 0x3f81);
  EXPECT_EQ(to_bfloat16(float_of(0x3f818000)), 0x3f82);  // tie, even above
  EXPECT_EQ(to_bfloat16(float_of(0xbf818000)), 0xbf82);
  EXPECT_EQ(to_bfloat16(float_of(0x3fffffff)), 0x4000);  // carries into the exponent
  EXPECT_EQ(to_bfloat16(float_of(0x00008000)), 0x0000);  // subnormal tie
  EXPECT_EQ(to_bfloat16(float_of(0x00018000)), 0x0002);
  EXPECT_EQ(to_bfloat16(-0.0F), 0x8000);
}

TEST(Bfloat16, ErrorIsAtMostHalfAStep) {
  for (uint32_t bits = 0x00800000; bits < 0x7f000000; bits += 99991) {
    const float value = float_of(bits);
    const float rounded = from_bfloat16(to_bfloat16(value));
    ASSERT_LE(std::fabs(rounded - value), std::fabs(value) / 256) << bits;
  }
}

TEST(Bfloat16, InfinitiesAndNan) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(from_bfloat16(to_bfloat16(infinity)), infinity);
  EXPECT_EQ(from_bfloat16(to_bfloat16(-infinity)), -infinity);
  EXPECT_EQ(from_bfloat16(to_bfloat16(std::numeric_limits<float>::max())), infinity);
  // A payload in the lower half alone must not turn into infinity, nor a full one wrap around.
  EXPECT_TRUE(std::isnan(from_bfloat16(to_bfloat16(float_of(0x7f800001)))));
  EXPECT_TRUE(std::isnan(from_bfloat16(to_bfloat16(float_of(0xffffffff)))));
}

}  // namespace
}  // namespace mesita::checkpoint
