#include "model/layers/linear_product.h"

#include <ATen/autocast_mode.h>
#include <ATen/ops/baddbmm.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mm.h>
#include <ATen/record_function.h>
#include <torch/csrc/autograd/custom_function.h>

#include <optional>
#include <vector>

#include "model/kernels/parallel_products.h"

namespace mesita::layers {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

bool has_kernel(const at::Tensor& tensor) {
  static const bool vectors =
      kernels::machine_instruction_set() != kernels::InstructionSet::baseline;
  return vectors && tensor.is_cpu() && tensor.scalar_type() == at::kFloat;
}

// The first dimension of three is that of the members.
at::Tensor by_member(const at::Tensor& tensor, int64_t members) {
  return tensor.reshape({members, -1, tensor.size(-1)});
}

kernels::MatrixView view(const at::Tensor& matrix) {
  return {matrix.const_data_ptr<float>(), matrix.stride(-2), matrix.stride(-1)};
}

/// result [members, rows, columns] = bias [members, columns] + left . right.
void products(const at::Tensor& left, const at::Tensor& right, const at::Tensor& bias,
              const at::Tensor& result) {
  RECORD_FUNCTION("mesita::product", std::vector<c10::IValue>({left, right}));
  std::vector<kernels::MatrixProduct> all(static_cast<size_t>(result.size(0)));
  for (size_t m = 0; m < all.size(); ++m) {
    const auto member = static_cast<int64_t>(m);
    kernels::MatrixProduct& product = all[m];
    product.left = view(left);
    product.left.data += member * left.stride(0);
    product.right = view(right);
    product.right.data += member * right.stride(0);
    if (bias.defined()) product.bias = bias.const_data_ptr<float>() + member * bias.stride(0);
    product.result = result.mutable_data_ptr<float>() + member * result.stride(0);
    product.result_stride = result.stride(1);
    product.rows = result.size(1);
    product.columns = result.size(2);
    product.inner = left.size(2);
  }
  kernels::multiply_all(all);
}

class LinearProduct : public torch::autograd::Function<LinearProduct> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const std::optional<at::Tensor>& bias) {
    const int64_t members = weight.dim() == 3 ? weight.size(0) : 1;
    const at::Tensor rows = by_member(x, members).contiguous();
    const at::Tensor weights = by_member(weight, members).contiguous();
    const at::Tensor biases = bias ? bias->reshape({members, -1}).contiguous() : at::Tensor();
    std::vector<int64_t> sizes = x.sizes().vec();
    sizes.back() = weights.size(1);
    const at::Tensor y = at::empty(sizes, x.options().requires_grad(false));
    products(rows, weights.transpose(1, 2), biases, by_member(y, members));
    const bool bias_gradient = bias && bias->requires_grad();
    context->save_for_backward(
        {weight.requires_grad() ? rows : at::Tensor(), x.requires_grad() ? weights : at::Tensor()});
    context->saved_data["members"] = members;
    context->saved_data["bias"] = bias_gradient;
    context->saved_data["with_members"] = weight.dim() == 3;
    return y;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const variable_list saved = context->get_saved_variables();
    const int64_t members = context->saved_data["members"].toInt();
    const bool with_members = context->saved_data["with_members"].toBool();
    const at::Tensor& gradient = gradients[0];
    const at::Tensor dy = by_member(gradient, members).contiguous();
    const auto alone = [&](const at::Tensor& tensor) {
      return with_members ? tensor : tensor.squeeze(0);
    };
    variable_list results(3);
    if (const at::Tensor& weights = saved[1]; weights.defined()) {
      std::vector<int64_t> sizes = gradient.sizes().vec();
      sizes.back() = weights.size(2);
      results[0] = at::empty(sizes, dy.options());
      products(dy, weights, {}, by_member(results[0], members));
    }
    if (const at::Tensor& rows = saved[0]; rows.defined()) {
      const at::Tensor dw = at::empty({members, dy.size(2), rows.size(2)}, dy.options());
      products(dy.transpose(1, 2), rows, {}, dw);
      results[1] = alone(dw);
    }
    if (context->saved_data["bias"].toBool()) results[2] = alone(dy.sum(1));
    return results;
  }
};

}  // namespace

at::Tensor linear_product(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  if (has_kernel(x) && has_kernel(weight) && !at::autocast::is_autocast_enabled(at::kCPU))
    return LinearProduct::apply(x, weight, bias.defined() ? std::optional(bias) : std::nullopt);
  if (weight.dim() == 2) return at::linear(x, weight, bias);
  const at::Tensor rows = by_member(x, weight.size(0));
  const at::Tensor by_input = weight.transpose(1, 2);
  std::vector<int64_t> sizes = x.sizes().vec();
  sizes.back() = weight.size(1);
  return (bias.defined() ? at::baddbmm(bias.unsqueeze(1), rows, by_input) : at::bmm(rows, by_input))
      .view(sizes);
}

void product_out(const at::Tensor& left, const at::Tensor& right, const at::Tensor& result) {
  if (has_kernel(left) && has_kernel(right)) {
    products(left.unsqueeze(0), right.unsqueeze(0), {}, result.unsqueeze(0));
  } else {
    at::Tensor out = result;
    at::mm_out(out, left, right);
  }
}

}  // namespace mesita::layers
