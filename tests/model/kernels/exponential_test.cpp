#include "model/kernels/exponential.h"

#include <cmath>
#include <vector>

#include "tests/model/kernels/instruction_sets.h"

namespace mesita::kernels {
namespace {

class ExponentialTest : public EveryInstructionSet {};

TEST_P(ExponentialTest, IsExactToTheLastDigits) {
  std::vector<double> x;
  for (double value = -707.9; value < 709.0; value += 0.0917) x.push_back(value);
  for (double value = -1.0; value < 1.0; value += 0.00137) x.push_back(value);
  x.push_back(0.0);
  std::vector<double> y = x;
  exponentials(y, GetParam());
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(y[i] / std::exp(x[i]), 1.0, 1e-15) << x[i];
  }
  EXPECT_EQ(y.back(), 1.0);
}

TEST_P(ExponentialTest, VanishesFarBelow) {
  std::vector<double> x = {-INFINITY, -1e300, -709.0, -10000.0, 0.0};
  exponentials(x, GetParam());
  EXPECT_EQ(x, (std::vector<double>{0, 0, 0, 0, 1}));
}

TEST_P(ExponentialTest, SumEqualsTheSumOfItsTerms) {
  for (const size_t count : {1, 7, 8, 9, 61, 1000}) {
    std::vector<float> values(count);
    seeded_normal(1, 2, values);
    double expected = 0.0;
    for (const float value : values) expected += std::exp(static_cast<double>(value) - 0.5);
    EXPECT_NEAR(sum_of_exponentials(values, 0.5, GetParam()) / expected, 1.0, 1e-14) << count;
  }
  EXPECT_EQ(sum_of_exponentials(std::vector<float>{-INFINITY, 2.0f}, 2.0, GetParam()), 1.0);
  EXPECT_TRUE(std::isnan(sum_of_exponentials(std::vector<float>{NAN, 2.0f}, 2.0, GetParam())));
}

MESITA_EVERY_INSTRUCTION_SET(ExponentialTest);

}  // namespace
}  // namespace mesita::kernels
