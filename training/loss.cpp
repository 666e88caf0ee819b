#include "training/loss.h"

#include <ATen/autocast_mode.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <stdexcept>

#include "model/kernels/parallel.h"
#include "model/layers/linear_product.h"
#include "training/cross_entropy_rows.h"
#include "training/data/batch_source.h"

namespace mesita::training {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Logits of a piece, in bytes: a share of a core's cache, yet enough rows for a good product.
constexpr int64_t kPieceBytes = 4 << 20;
constexpr int64_t kLeastRows = 256;
constexpr int64_t kCost = 8;  // multiplications per logit in its softmax

// The type of products: what autocast says, else that of the tensors.
at::ScalarType product_type(const at::Tensor& hidden) {
  const at::DeviceType device = hidden.device().type();
  return at::autocast::is_autocast_enabled(device) ? at::autocast::get_autocast_dtype(device)
                                                   : hidden.scalar_type();
}

bool has_row_kernel(const at::Tensor& hidden) {
  const at::ScalarType type = product_type(hidden);
  return hidden.is_cpu() && (type == at::kFloat || type == at::kBFloat16);
}

// logits: [rows, vocabulary]; replaced by their gradient where that is wanted.
void rows_in_parallel(at::Tensor& logits, const int64_t* targets, float scale, RowResult result,
                      float* nats) {
  const int64_t vocabulary = logits.size(1);
  const auto run = [&](auto* data) {
    kernels::parallel(logits.size(0), kCost * vocabulary, [&](int64_t first, int64_t last) {
      cross_entropy_rows(data + first * vocabulary, targets + first, last - first, vocabulary,
                         scale, result, nats + first);
    });
  };
  if (logits.scalar_type() == at::kBFloat16) {
    run(static_cast<uint16_t*>(logits.mutable_data_ptr()));
  } else {
    run(logits.mutable_data_ptr<float>());
  }
}

int64_t rows_per_piece(const at::Tensor& unembedding) {
  return std::max(kLeastRows, kPieceBytes / (unembedding.size(0) * unembedding.element_size()));
}

class LinearCrossEntropy : public torch::autograd::Function<LinearCrossEntropy> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& hidden,
                            const at::Tensor& unembedding, const at::Tensor& targets,
                            double divisor) {
    const at::ScalarType type = product_type(hidden);
    const at::Tensor h = hidden.to(type).contiguous();       // [positions, width]
    const at::Tensor w = unembedding.to(type).contiguous();  // [vocabulary, width]
    const int64_t positions = h.size(0), piece = std::min(positions, rows_per_piece(w));
    at::Tensor logits = at::empty({positions, w.size(0)}, h.options().requires_grad(false));
    at::Tensor hidden_gradient, weight_gradient;
    if (hidden.requires_grad()) hidden_gradient = at::empty_like(h);
    at::Tensor nats = at::empty({positions}, h.options().dtype(at::kFloat).requires_grad(false));
    for (int64_t first = 0; first < positions; first += piece) {
      const int64_t rows = std::min(piece, positions - first);
      const at::Tensor part = h.narrow(0, first, rows);
      at::Tensor values = logits.narrow(0, first, rows);
      layers::product_out(part, w.t(), values);
      rows_in_parallel(values, targets.const_data_ptr<int64_t>() + first,
                       static_cast<float>(1.0 / divisor), RowResult::loss_and_gradient,
                       nats.mutable_data_ptr<float>() + first);
      if (hidden_gradient.defined()) {
        at::Tensor out = hidden_gradient.narrow(0, first, rows);
        layers::product_out(values, w, out);
      }
    }
    if (unembedding.requires_grad()) {
      weight_gradient = at::empty_like(w);
      layers::product_out(logits.t(), h, weight_gradient);
      weight_gradient = weight_gradient.to(unembedding.scalar_type());
    }
    if (hidden_gradient.defined()) hidden_gradient = hidden_gradient.to(hidden.scalar_type());
    context->save_for_backward({hidden_gradient, weight_gradient});
    return (nats.sum(at::kDouble) / divisor).to(at::kFloat);
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    variable_list results = context->get_saved_variables();
    if (gradients[0].item<double>() != 1.0) {
      for (at::Tensor& each : results) {
        if (each.defined()) each = each * gradients[0].to(each.scalar_type());
      }
    }
    results.resize(4);  // none for targets and divisor
    return results;
  }
};

void check(const at::Tensor& hidden, const at::Tensor& unembedding, const at::Tensor& targets) {
  if (hidden.dim() != 2 || unembedding.dim() != 2 || hidden.size(1) != unembedding.size(1))
    throw std::invalid_argument(
        "loss: hidden must be [positions, width], unembedding [vocabulary, "
        "width]");
  if (targets.dim() != 1 || targets.size(0) != hidden.size(0) || targets.scalar_type() != at::kLong)
    throw std::invalid_argument("loss: targets must be int64 [positions]");
  if (targets.is_cpu() && targets.numel() > 0 &&
      targets.max().item<int64_t>() >= unembedding.size(0))
    throw std::invalid_argument("loss: target " + std::to_string(targets.max().item<int64_t>()) +
                                " is outside the vocabulary of " +
                                std::to_string(unembedding.size(0)));
}

}  // namespace

at::Tensor next_token_loss(const at::Tensor& hidden, const at::Tensor& unembedding,
                           const at::Tensor& targets, double divisor) {
  check(hidden, unembedding, targets);
  if (has_row_kernel(hidden))
    return LinearCrossEntropy::apply(hidden, unembedding, targets.contiguous(), divisor);
  return at::cross_entropy_loss(at::linear(hidden, unembedding), targets, {}, at::Reduction::Sum,
                                kIgnored) /
         divisor;
}

at::Tensor next_token_nats(const at::Tensor& hidden, const at::Tensor& unembedding,
                           const at::Tensor& targets) {
  check(hidden, unembedding, targets);
  const c10::NoGradGuard no_grad;
  if (!has_row_kernel(hidden))
    return at::cross_entropy_loss(at::linear(hidden, unembedding), targets, {}, at::Reduction::None,
                                  kIgnored)
        .to(at::kFloat);
  const at::ScalarType type = product_type(hidden);
  const at::Tensor h = hidden.to(type), w = unembedding.to(type);
  const at::Tensor wanted = targets.contiguous();
  const int64_t positions = h.size(0), piece = rows_per_piece(w);
  at::Tensor nats = at::empty({positions}, h.options().dtype(at::kFloat).requires_grad(false));
  for (int64_t first = 0; first < positions; first += piece) {
    const int64_t rows = std::min(piece, positions - first);
    at::Tensor logits = at::empty({rows, w.size(0)}, h.options().requires_grad(false));
    layers::product_out(h.narrow(0, first, rows), w.t(), logits);
    rows_in_parallel(logits, wanted.const_data_ptr<int64_t>() + first, 0.0f, RowResult::loss,
                     nats.mutable_data_ptr<float>() + first);
  }
  return nats;
}

}  // namespace mesita::training
