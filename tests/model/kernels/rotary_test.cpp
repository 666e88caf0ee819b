#include "model/kernels/rotary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

namespace mesita::kernels {
namespace {

TEST(Rotary, TurnsPairsLikeComplexNumbers) {
  const RotaryTable table = rotary_table(10, 6, 100.0);
  ASSERT_EQ(table.cosines.size(), 30u);
  const std::vector<float> cosines(table.cosines.begin() + 21, table.cosines.begin() + 24);
  const std::vector<float> sines(table.sines.begin() + 21, table.sines.begin() + 24);
  const std::vector<float> before = {1, 2, 3, 4, 5, 6, -1, 0.5f, 2, 0, 1, 1};  // two heads
  std::vector<float> x = before;
  kernels::rotate(x, cosines, sines);
  for (size_t head = 0; head < 12; head += 6) {
    for (size_t i = 0; i < 3; ++i) {
      const std::complex<double> pair(before[head + i], before[head + i + 3]);
      const std::complex<double> turned =
          pair * std::polar(1.0, 7.0 * std::pow(100.0, -static_cast<double>(i) / 3.0));
      EXPECT_NEAR(x[head + i], turned.real(), 1e-6);
      EXPECT_NEAR(x[head + i + 3], turned.imag(), 1e-6);
    }
  }
}

TEST(Rotary, PositionZeroTurnsNothing) {
  const RotaryTable table = rotary_table(1, 4, 10000.0);
  EXPECT_EQ(table.cosines, (std::vector<double>{1, 1}));
  EXPECT_EQ(table.sines, (std::vector<double>{0, 0}));
}

}  // namespace
}  // namespace mesita::kernels
