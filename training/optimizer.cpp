#include "training/optimizer.h"

#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>

#include <stdexcept>

namespace mesita::training {

bool is_decayed(const model::ParameterSpec& spec, const RunConfig::Optimizer& options) {
  if (options.decayed == "all") return true;
  if (spec.shape.size() < 2) return false;
  return options.decayed == "matrices" ||
         model::is_trained(spec, model::trained_roles(options.decayed));
}

AdamW::AdamW(const std::vector<Parameter>& parameters, const RunConfig::Optimizer& options)
    : options_(options) {
  if (parameters.empty()) throw std::invalid_argument("AdamW: there is nothing to train");
  Group decayed, plain;
  decayed.weight_decay = options.weight_decay;
  for (size_t number = 0; number < parameters.size(); ++number) {
    const auto& [parameter, decays] = parameters[number];
    Group& group = decays ? decayed : plain;
    group.numbers.push_back(number);
    group.means.push_back(at::zeros_like(parameter));
    group.squares.push_back(at::zeros_like(parameter));
    group.parameters.push_back(parameter);
  }
  for (Group* group : {&decayed, &plain}) {
    if (!group->parameters.empty()) groups_.push_back(std::move(*group));
  }
  steps_ = at::zeros({}, groups_[0].parameters[0].options().dtype(at::kFloat).requires_grad(false));
}

at::Tensor AdamW::step(double lr) {
  const c10::NoGradGuard no_grad;
  std::vector<at::Tensor> gradients;
  for (const Group& group : groups_) {
    for (const at::Tensor& parameter : group.parameters) {
      at::Tensor& gradient = parameter.mutable_grad();
      if (!gradient.defined()) gradient = at::zeros_like(parameter);
      gradients.push_back(gradient);
    }
  }
  const at::Tensor norm = at::linalg_vector_norm(at::stack(at::_foreach_norm(gradients, 2)));
  // The fused kernel divides gradients by grad_scale and skips the update when found_inf is 1.
  const at::Tensor finite = norm.isfinite();
  const at::Tensor overflow = finite.logical_not().to(at::kFloat);
  std::optional<at::Tensor> scale;
  if (options_.clip > 0) scale = norm.add(1e-6).div(options_.clip).clamp_min(1.0).to(at::kFloat);
  steps_.add_(finite);
  size_t first = 0;
  for (const Group& group : groups_) {
    const at::TensorList grads(gradients.data() + first, group.parameters.size());
    // The kernel only reads the step number, so that all tensors share one.
    const std::vector<at::Tensor> steps(group.parameters.size(), steps_);
    at::_fused_adamw_(group.parameters, grads, group.means, group.squares, {}, steps, lr,
                      options_.beta1, options_.beta2, group.weight_decay, options_.epsilon,
                      /*amsgrad=*/false, /*maximize=*/false, scale, overflow);
    for (const at::Tensor& parameter : group.parameters) parameter.mutable_grad().reset();
    first += group.parameters.size();
  }
  return norm;
}

std::vector<std::pair<std::string, at::Tensor>> AdamW::state() const {
  std::vector<std::pair<std::string, at::Tensor>> state{{"optimizer.steps", steps_}};
  for (const Group& group : groups_) {
    for (size_t i = 0; i < group.numbers.size(); ++i) {
      const std::string number = std::to_string(group.numbers[i]);
      state.emplace_back("optimizer.mean." + number, group.means[i]);
      state.emplace_back("optimizer.square." + number, group.squares[i]);
    }
  }
  return state;
}

}  // namespace mesita::training
