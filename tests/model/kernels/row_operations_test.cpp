#include "model/kernels/row_operations.h"

#include <cmath>
#include <vector>

#include "tests/model/kernels/instruction_sets.h"

namespace mesita::kernels {
namespace {

class RowOperationsTest : public EveryInstructionSet {};

std::vector<float> values(size_t count, uint64_t stream) {
  std::vector<float> numbers(count);
  seeded_normal(5, stream, numbers);
  return numbers;
}

TEST_P(RowOperationsTest, LayerNormEqualsItsFormula) {
  for (const size_t width : {1, 5, 16, 40, 64, 129}) {
    const size_t rows = 3;
    std::vector<float> x = values(rows * width, 1);
    for (float& value : x) value = 3 * value + 2;
    const std::vector<float> weight = values(width, 2), bias = values(width, 3);
    std::vector<float> y(x.size());
    layer_norm(x, weight, bias, 1e-5f, y, GetParam());
    for (size_t row = 0; row < rows; ++row) {
      double mean = 0, variance = 0;
      for (size_t i = 0; i < width; ++i) mean += x[row * width + i] / static_cast<double>(width);
      for (size_t i = 0; i < width; ++i) {
        variance += std::pow(x[row * width + i] - mean, 2) / static_cast<double>(width);
      }
      for (size_t i = 0; i < width; ++i) {
        const double expected =
            (x[row * width + i] - mean) / std::sqrt(variance + 1e-5) * weight[i] + bias[i];
        EXPECT_NEAR(y[row * width + i], expected, 2e-6 * (1 + std::abs(expected)))
            << width << " " << row << " " << i;
      }
    }
  }
}

TEST_P(RowOperationsTest, LayerNormTakesEachRowByItself) {
  const size_t width = 40;
  const std::vector<float> x = values(7 * width, 1), weight = values(width, 2);
  std::vector<float> together(x.size()), alone(x.size());
  layer_norm(x, weight, weight, 1e-5f, together, GetParam());
  for (size_t row = 0; row < 7; ++row) {
    layer_norm(std::span(x).subspan(row * width, width), weight, weight, 1e-5f,
               std::span(alone).subspan(row * width, width), GetParam());
  }
  EXPECT_EQ(together, alone);
}

TEST_P(RowOperationsTest, GeluGradientEqualsItsFormula) {
  std::vector<float> x;
  for (float value = -12.0f; value <= 12.0f; value += 0.0037f) x.push_back(value);
  x.insert(x.end(), {-1e6f, -100.0f, 100.0f, 1e6f, 0.0f, 1e-30f});
  std::vector<float> dy(x.size(), -1.5f);
  gelu_gradient(x, dy, GetParam());
  for (size_t i = 0; i < x.size(); ++i) {
    const double value = x[i], c = std::sqrt(2 / std::acos(-1.0));
    const double t = std::tanh(c * (value + 0.044715 * value * value * value));
    const double slope = c * (1 + 3 * 0.044715 * value * value);
    const double tail = 1 - t * t;  // 0 far out, where the slope is large
    const double expected = -1.5 * (0.5 * (1 + t) + (tail > 0 ? 0.5 * value * tail * slope : 0.0));
    EXPECT_NEAR(dy[i], expected, 4e-6) << value;
  }
}

TEST_P(RowOperationsTest, GeluEqualsItsFormula) {
  std::vector<float> x;
  for (float value = -12.0f; value <= 12.0f; value += 0.0037f) x.push_back(value);
  x.insert(x.end(), {-1e6f, -100.0f, 100.0f, 1e6f, 0.0f, 1e-30f});
  std::vector<float> y = x;
  gelu(y, GetParam());
  for (size_t i = 0; i < x.size(); ++i) {
    const double value = x[i];
    const double u = std::sqrt(2 / std::acos(-1.0)) * (value + 0.044715 * value * value * value);
    const double expected = 0.5 * value * (1 + std::tanh(u));
    // u is rounded too: far below zero that is a share of a share.
    const double tolerance = 3e-7 * (1 + std::abs(u)) * std::abs(expected);
    EXPECT_NEAR(y[i], expected, tolerance + 1e-15 * std::abs(value)) << value;
  }
}

TEST_P(RowOperationsTest, NotANumberStaysVisible) {
  std::vector<float> x(20, 1.0f);
  x[3] = x[17] = NAN;
  gelu(x, GetParam());
  EXPECT_TRUE(std::isnan(x[3]) && std::isnan(x[17]));
  EXPECT_FALSE(std::isnan(x[4]));
}

TEST_P(RowOperationsTest, AddAdds) {
  for (const size_t count : {1, 16, 37}) {
    const std::vector<float> x = values(count, 1), before = values(count, 2);
    std::vector<float> y = before;
    add(x, y, GetParam());
    for (size_t i = 0; i < count; ++i) EXPECT_EQ(y[i], before[i] + x[i]);
  }
}

MESITA_EVERY_INSTRUCTION_SET(RowOperationsTest);

}  // namespace
}  // namespace mesita::kernels
