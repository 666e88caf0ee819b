#include "model/layers/rotary_positions.h"

#include "model/kernels/rotary.h"
#include "tests/model/layers/layer_values.h"

namespace mesita::layers {
namespace {

TEST(RotaryPositions, TurnsLikeTheKernel) {
  RotaryPositions positions(20, 6, 500.0);
  const at::Tensor x = normal_tensor({2, 9, 3, 6}, 1);
  const at::Tensor turned = positions.rotate(x);
  const kernels::RotaryTable table = kernels::rotary_table(20, 6, 500.0);
  for (int64_t t = 0; t < 9; ++t) {
    const std::vector<float> cosines(table.cosines.begin() + 3 * t,
                                     table.cosines.begin() + 3 * t + 3);
    const std::vector<float> sines(table.sines.begin() + 3 * t, table.sines.begin() + 3 * t + 3);
    const at::Tensor row = x[1][t].contiguous();
    std::vector<float> expected(values_of(row).begin(), values_of(row).end());
    kernels::rotate(expected, cosines, sines);
    expect_near(expected, turned[1][t], 1e-6);
  }
}

TEST(RotaryPositions, KeepsTypesAndDoublePrecision) {
  RotaryPositions positions(20, 4, 10000.0);
  const at::Tensor x = normal_tensor({1, 20, 1, 4}, 1);
  const at::Tensor exact = positions.rotate(x.to(at::kDouble));
  EXPECT_EQ(exact.scalar_type(), at::kDouble);
  const double pair = x[0][19][0][0].item<double>(), other = x[0][19][0][2].item<double>();
  EXPECT_NEAR(exact[0][19][0][0].item<double>(), pair * std::cos(19.0) - other * std::sin(19.0),
              1e-14);
  EXPECT_EQ(positions.rotate(x.to(at::kBFloat16)).scalar_type(), at::kBFloat16);
  expect_near(values_of(positions.rotate(x)), exact.to(at::kFloat), 1e-6);
}

}  // namespace
}  // namespace mesita::layers
