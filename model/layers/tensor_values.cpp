#include "model/layers/tensor_values.h"

namespace mesita::layers {

std::vector<float> float_values(const at::Tensor& tensor) {
  const at::Tensor values = tensor.detach().to(at::kCPU, at::kFloat).contiguous();
  const float* first = values.const_data_ptr<float>();
  return {first, first + values.numel()};
}

}  // namespace mesita::layers
