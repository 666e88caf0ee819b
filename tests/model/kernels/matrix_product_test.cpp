#include "model/kernels/matrix_product.h"

#include <cmath>
#include <vector>

#include "tests/model/kernels/instruction_sets.h"

namespace mesita::kernels {
namespace {

class MatrixProductTest : public EveryInstructionSet {};

/// A matrix with its transpose in memory or not, and something around it.
struct Matrix {
  Matrix(int64_t rows, int64_t columns, bool transposed, uint64_t stream)
      : values(static_cast<size_t>((rows + 2) * (columns + 3))) {
    seeded_normal(11, stream, values);
    view = transposed ? MatrixView{values.data(), 1, rows + 2}
                      : MatrixView{values.data(), columns + 3, 1};
  }
  std::vector<float> values;
  MatrixView view;
};

/// One element after the other, each a chain of additions in the order of k.
float element(const MatrixProduct& p, int64_t row, int64_t column, InstructionSet set) {
  float sum = p.bias ? p.bias[column] : 0.0f;
  for (int64_t k = 0; k < p.inner; ++k) {
    const float a = *p.left.at(row, k), b = *p.right.at(k, column);
    const volatile float product = a * b;  // rounded by itself
    sum = set == InstructionSet::baseline ? sum + product : std::fma(a, b, sum);
  }
  return sum;
}

void expect_equal_to_the_bit(const MatrixProduct& p, InstructionSet set) {
  for (int64_t r = 0; r < p.rows; ++r) {
    for (int64_t c = 0; c < p.columns; ++c)
      ASSERT_EQ(p.result[r * p.result_stride + c], element(p, r, c, set))
          << p.rows << " x " << p.inner << " x " << p.columns << " at " << r << ", " << c;
  }
}

TEST_P(MatrixProductTest, EqualsTheSequentialSumToTheBit) {
  const struct {
    int64_t rows, columns, inner;
  } shapes[] = {{1, 1, 1},   {1, 50, 7},    {7, 15, 3},    {8, 48, 16},  {9, 33, 256},
                {13, 49, 0}, {25, 64, 257}, {200, 17, 20}, {3, 520, 40}, {12, 1000, 5}};
  for (const auto& shape : shapes) {
    for (const bool left_transposed : {false, true}) {
      for (const bool right_transposed : {false, true}) {
        const Matrix left(shape.rows, shape.inner, left_transposed, 1);
        const Matrix right(shape.inner, shape.columns, right_transposed, 2);
        std::vector<float> bias(static_cast<size_t>(shape.columns));
        seeded_normal(11, 3, bias);
        std::vector<float> result(static_cast<size_t>(shape.rows * (shape.columns + 1)), 7.0f);
        const MatrixProduct product{.left = left.view,
                                    .right = right.view,
                                    .bias = left_transposed ? bias.data() : nullptr,
                                    .result = result.data(),
                                    .result_stride = shape.columns + 1,
                                    .rows = shape.rows,
                                    .columns = shape.columns,
                                    .inner = shape.inner};
        multiply(product, GetParam());
        expect_equal_to_the_bit(product, GetParam());
        for (int64_t r = 0; r < shape.rows; ++r)
          ASSERT_EQ(result[static_cast<size_t>(r * (shape.columns + 1) + shape.columns)], 7.0f)
              << "what lies beside the result stays";
      }
    }
  }
}

TEST_P(MatrixProductTest, RowsThatShareCacheLinesAreCopied) {
  const int64_t rows = 20, inner = 1024, columns = 18;
  std::vector<float> left(static_cast<size_t>(rows * inner));
  seeded_normal(11, 5, left);
  const Matrix right(inner, columns, false, 6);
  std::vector<float> result(static_cast<size_t>(rows * columns));
  const MatrixProduct product{.left = {left.data(), inner, 1},
                              .right = right.view,
                              .result = result.data(),
                              .result_stride = columns,
                              .rows = rows,
                              .columns = columns,
                              .inner = inner};
  multiply(product, GetParam());
  expect_equal_to_the_bit(product, GetParam());
}

TEST_P(MatrixProductTest, PartsMakeUpTheWhole) {
  const int64_t rows = 30, columns = 70, inner = 33;
  const Matrix left(rows, inner, false, 1), right(inner, columns, true, 2);
  std::vector<float> bias(static_cast<size_t>(columns));
  seeded_normal(11, 3, bias);
  std::vector<float> result(static_cast<size_t>(rows * columns));
  const MatrixProduct product{.left = left.view,
                              .right = right.view,
                              .bias = bias.data(),
                              .result = result.data(),
                              .result_stride = columns,
                              .rows = rows,
                              .columns = columns,
                              .inner = inner};
  for (const auto& [row, row_count] : {std::pair{0, 11}, std::pair{11, 19}}) {
    for (const auto& [column, column_count] : {std::pair{0, 1}, std::pair{1, 69}})
      multiply(part(product, row, row_count, column, column_count), GetParam());
  }
  expect_equal_to_the_bit(product, GetParam());
}

MESITA_EVERY_INSTRUCTION_SET(MatrixProductTest);

}  // namespace
}  // namespace mesita::kernels
