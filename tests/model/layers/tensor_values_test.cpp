#include "model/layers/tensor_values.h"

#include "tests/model/layers/layer_values.h"

namespace mesita::layers {
namespace {

TEST(TensorValues, AreRowMajorFloats) {
  const at::Tensor tensor = normal_tensor({3, 4}, 1);
  expect_near(float_values(tensor), tensor, 0.0);
  expect_near(float_values(tensor.t()), tensor.t(), 0.0);
  expect_near(float_values(tensor.to(at::kDouble)), tensor, 0.0);
}

TEST(TensorValues, AreACopy) {
  const at::Tensor tensor = normal_tensor({3}, 1);
  const std::vector<float> values = float_values(tensor);
  tensor.zero_();
  EXPECT_NE(values[0], 0.0f);
}

}  // namespace
}  // namespace mesita::layers
