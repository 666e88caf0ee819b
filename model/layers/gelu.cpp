#include "model/layers/gelu.h"

#include <ATen/ops/empty_like.h>
#include <ATen/ops/gelu.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <functional>
#include <span>

#include "model/kernels/parallel.h"
#include "model/kernels/row_operations.h"

namespace mesita::layers {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr int64_t kGeluPiece = 1024;  // stays in the first cache between the copy and the kernel
constexpr int64_t kGeluCost = 8;      // multiplications per value

/// to := from, then work(piece of x, same piece of to).
void by_pieces(const at::Tensor& from, const at::Tensor& x, const at::Tensor& to,
               const std::function<void(std::span<const float>, std::span<float>)>& work) {
  const int64_t count = x.numel();
  const float* values = from.const_data_ptr<float>();
  const float* arguments = x.const_data_ptr<float>();
  float* results = to.mutable_data_ptr<float>();
  kernels::parallel((count + kGeluPiece - 1) / kGeluPiece, kGeluPiece * kGeluCost,
                    [&](int64_t first, int64_t last) {
                      for (int64_t at = first * kGeluPiece; at < std::min(count, last * kGeluPiece);
                           at += kGeluPiece) {
                        const auto size = static_cast<size_t>(std::min(kGeluPiece, count - at));
                        std::copy_n(values + at, size, results + at);
                        work({arguments + at, size}, {results + at, size});
                      }
                    });
}

class Gelu : public torch::autograd::Function<Gelu> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x) {
    const at::Tensor input = x.contiguous();
    const at::Tensor y = at::empty_like(input, input.options().requires_grad(false));
    by_pieces(input, input, y, [](auto, std::span<float> piece) { kernels::gelu(piece); });
    context->save_for_backward({input});
    return y;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const at::Tensor x = context->get_saved_variables()[0];
    const at::Tensor dy = gradients[0].contiguous();
    const at::Tensor dx = at::empty_like(dy);
    by_pieces(dy, x, dx, [](std::span<const float> arguments, std::span<float> piece) {
      kernels::gelu_gradient(arguments, piece);
    });
    return {dx};
  }
};

}  // namespace

at::Tensor gelu(const at::Tensor& x) {
  static const bool fast = kernels::machine_instruction_set() != kernels::InstructionSet::baseline;
  if (fast && x.is_cpu() && x.scalar_type() == at::kFloat) return Gelu::apply(x);
  return at::gelu(x, "tanh");
}

}  // namespace mesita::layers
