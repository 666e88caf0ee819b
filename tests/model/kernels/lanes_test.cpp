#include "model/kernels/lanes.h"

#include <cmath>
#include <vector>

#include "tests/model/kernels/instruction_sets.h"

namespace mesita::kernels {
namespace {

template <int kWidth>
MESITA_INLINE void exponential_of(const float* x, float* y, int64_t count) {
  for (int64_t i = 0; i < count; i += kLanes) {
    store_first<kWidth>(y + i, exponential<kWidth>(load_first<kWidth>(x + i, count - i)),
                        count - i);
  }
}

template <int kWidth>
MESITA_INLINE void reductions_of(const float* x, float* total, float* largest) {
  *total = sum<kWidth>(load<kWidth>(x));
  *largest = maximum<kWidth>(load<kWidth>(x));
}

class LanesTest : public EveryInstructionSet {};

TEST_P(LanesTest, ExponentialIsExactToFloatPrecision) {
  std::vector<float> x;
  for (float value = -86.9f; value < 88.0f; value += 0.0117f) x.push_back(value);
  std::vector<float> y(x.size());
  MESITA_CALL(exponential_of, GetParam(), static_cast<const float*>(x.data()), y.data(),
              static_cast<int64_t>(x.size()));
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(y[i] / std::exp(static_cast<double>(x[i])), 1.0, 2e-7) << x[i];
  }
}

TEST_P(LanesTest, ReductionsTakeEveryLane) {
  for (int lane = 0; lane < kLanes; ++lane) {
    std::vector<float> x(kLanes, -1.0f);
    x[static_cast<size_t>(lane)] = 20.0f;
    float total = 0, largest = 0;
    MESITA_CALL(reductions_of, GetParam(), static_cast<const float*>(x.data()), &total, &largest);
    EXPECT_EQ(total, 5.0f);
    EXPECT_EQ(largest, 20.0f);
  }
}

MESITA_EVERY_INSTRUCTION_SET(LanesTest);

}  // namespace
}  // namespace mesita::kernels
