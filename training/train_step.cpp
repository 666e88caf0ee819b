#include "training/train_step.h"

#include <ATen/ops/from_blob.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <stdexcept>

#include "training/loss.h"
#include "training/precision.h"

namespace mesita::training {

at::Tensor to_tensor(const std::vector<int64_t>& values, at::IntArrayRef shape,
                     c10::Device device) {
  const at::Tensor view =
      at::from_blob(const_cast<int64_t*>(values.data()), shape, at::TensorOptions(at::kLong));
  return device.is_cpu() ? view.clone() : view.to(device);
}

at::Tensor starts_of(const TokenBatch& batch, c10::Device device) {
  if (batch.starts.empty()) return {};
  return to_tensor(batch.starts, {batch.rows, batch.context}, device);
}

std::vector<AdamW::Parameter> freeze_others(model::LanguageModel& model,
                                            const std::vector<model::ParameterRole>& trained,
                                            const RunConfig::Optimizer& options) {
  std::map<std::string, model::ParameterSpec> specs;
  for (const auto& spec : model::parameter_specs(model.config())) specs[spec.name] = spec;
  std::vector<AdamW::Parameter> result;
  for (auto& [name, tensor] : model.named_parameters()) {
    const model::ParameterSpec& spec = specs.at(name);
    const bool is_trained = model::is_trained(spec, trained);
    tensor.mutable_grad().reset();
    tensor.requires_grad_(is_trained);
    if (is_trained) result.push_back({tensor, is_decayed(spec, options)});
  }
  if (result.empty())
    throw std::invalid_argument("the model has no parameter of the trained roles");
  return result;
}

TrainStep::TrainStep(model::LanguageModel& model, const std::vector<model::ParameterRole>& trained,
                     const RunConfig::Optimizer& options, Precision precision)
    : model_(model),
      device_(model.unembedding().device()),
      precision_(precision),
      trained_(freeze_others(model, trained, options)),
      optimizer_(trained_, options) {}

at::Tensor TrainStep::accumulate(const TokenBatch& batch, double divisor, Precision precision) {
  const at::Tensor ids = to_tensor(batch.ids, {batch.rows, batch.context}, device_);
  const at::Tensor targets = to_tensor(batch.targets, {batch.rows * batch.context}, device_);
  at::Tensor loss;
  {
    const PrecisionGuard guard(precision, device_.type());
    const at::Tensor hidden = model_.hidden(ids, starts_of(batch, device_)).flatten(0, 1);
    loss = next_token_loss(hidden, model_.unembedding(), targets, divisor);
  }
  loss.backward();
  return loss.detach();
}

TrainStep::Result TrainStep::run(std::span<const TokenBatch> micro_batches, double lr) {
  Result result;
  for (const TokenBatch& batch : micro_batches) result.scored += batch.scored;
  if (result.scored == 0) throw std::invalid_argument("a step without a scored token");
  const c10::AutoGradMode with_gradients(true);
  for (const TokenBatch& batch : micro_batches) {
    const at::Tensor loss = accumulate(batch, static_cast<double>(result.scored), precision_);
    result.loss = result.loss.defined() ? result.loss.add(loss) : loss;
  }
  result.grad_norm = optimizer_.step(lr);
  return result;
}

model::ParameterArrays TrainStep::state() const {
  model::ParameterArrays arrays;
  for (const auto& [name, tensor] : optimizer_.state()) arrays[name] = model::to_array(tensor);
  return arrays;
}

void TrainStep::load_state(const model::ParameterArrays& state) {
  for (const auto& [name, tensor] : optimizer_.state()) {
    const auto found = state.find(name);
    if (found == state.end() || at::IntArrayRef(found->second.shape) != tensor.sizes())
      throw std::runtime_error("the training state has no " + name + " of the model's shape");
    for (const float value : found->second.values) {
      if (!std::isfinite(value))
        throw std::runtime_error("the training state's " + name +
                                 " holds numbers that are not finite");
    }
    model::assign(found->second, tensor);
  }
}

double TrainStep::measure(const TokenBatch& batch, Precision precision) {
  const c10::AutoGradMode with_gradients(true);
  const auto begin = std::chrono::steady_clock::now();
  accumulate(batch, static_cast<double>(std::max<int64_t>(batch.scored, 1)), precision)
      .item<float>();
  const auto end = std::chrono::steady_clock::now();
  for (const AdamW::Parameter& each : trained_) each.tensor.mutable_grad().reset();
  return std::chrono::duration<double>(end - begin).count();
}

}  // namespace mesita::training
