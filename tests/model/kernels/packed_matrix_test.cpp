#include "model/kernels/packed_matrix.h"

#include <cmath>
#include <vector>

#include "tests/model/kernels/instruction_sets.h"

namespace mesita::kernels {
namespace {

class PackedMatrixTest : public EveryInstructionSet {};

std::vector<float> values(int64_t count, uint64_t stream) {
  std::vector<float> numbers(static_cast<size_t>(count));
  seeded_normal(9, stream, numbers);
  return numbers;
}

/// One element after the other, each a chain of additions in the order of the inputs.
std::vector<float> reference(const std::vector<float>& x, const std::vector<float>& weight,
                             const std::vector<float>& bias, int64_t outputs, int64_t inputs,
                             InstructionSet set) {
  std::vector<float> y;
  for (int64_t row = 0; row * inputs < static_cast<int64_t>(x.size()); ++row) {
    for (int64_t n = 0; n < outputs; ++n) {
      float sum = bias.empty() ? 0.0f : bias[static_cast<size_t>(n)];
      for (int64_t k = 0; k < inputs; ++k) {
        const float a = x[static_cast<size_t>(row * inputs + k)];
        const float w = weight[static_cast<size_t>(n * inputs + k)];
        const volatile float product = a * w;  // rounded by itself
        sum = set == InstructionSet::baseline ? sum + product : std::fma(a, w, sum);
      }
      y.push_back(sum);
    }
  }
  return y;
}

TEST_P(PackedMatrixTest, EqualsTheSequentialSumToTheBit) {
  for (const int64_t outputs : {1, 15, 16, 48, 50, 129, 160}) {
    for (const int64_t inputs : {1, 7, 40}) {
      const std::vector<float> weight = values(outputs * inputs, 1);
      const std::vector<float> bias = outputs % 2 == 0 ? values(outputs, 2) : std::vector<float>{};
      const PackedMatrix matrix(weight, bias, outputs, inputs);
      for (const int64_t rows : {1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 17, 24, 31}) {
        const std::vector<float> x = values(rows * inputs, 3);
        std::vector<float> y(static_cast<size_t>(rows * outputs), 7.0f);
        matrix.multiply(x, y, 0, matrix.strips(), GetParam());
        EXPECT_EQ(y, reference(x, weight, bias, outputs, inputs, GetParam()))
            << outputs << " outputs, " << inputs << " inputs, " << rows << " rows";
      }
    }
  }
}

TEST_P(PackedMatrixTest, StripsCanBeComputedInAnyPieces) {
  const int64_t outputs = 150, inputs = 33, rows = 11;
  const PackedMatrix matrix(values(outputs * inputs, 1), values(outputs, 2), outputs, inputs);
  const std::vector<float> x = values(rows * inputs, 3);
  std::vector<float> whole(static_cast<size_t>(rows * outputs));
  matrix.multiply(x, whole, 0, matrix.strips(), GetParam());
  for (int64_t cut = 0; cut <= matrix.strips(); ++cut) {
    std::vector<float> pieces(whole.size());
    matrix.multiply(x, pieces, 0, cut, GetParam());
    matrix.multiply(x, pieces, cut, matrix.strips(), GetParam());
    EXPECT_EQ(pieces, whole) << cut;
  }
}

MESITA_EVERY_INSTRUCTION_SET(PackedMatrixTest);

TEST(PackedMatrix, RefusesWrongSizes) {
  EXPECT_THROW(PackedMatrix(values(6, 1), {}, 2, 4), std::invalid_argument);
  EXPECT_THROW(PackedMatrix(values(8, 1), values(3, 2), 2, 4), std::invalid_argument);
}

TEST(PackedMatrix, NoRowsNoWork) {
  const PackedMatrix matrix(values(8, 1), {}, 2, 4);
  matrix.multiply({}, {}, 0, matrix.strips());
  PackedMatrix().multiply({}, {}, 0, 0);
}

}  // namespace
}  // namespace mesita::kernels
