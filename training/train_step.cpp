#include "training/train_step.h"

#include <ATen/ops/from_blob.h>
#include <ATen/ops/stack.h>
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

TokenBatch side_by_side(std::span<const TokenBatch> batches) {
  TokenBatch all = batches.front();
  for (const TokenBatch& batch : batches.subspan(1)) {
    if (batch.rows != batches[0].rows || batch.context != all.context ||
        batch.starts.empty() != all.starts.empty())
      throw std::invalid_argument("the batches of a step's members differ in shape");
    all.rows += batch.rows;
    all.scored += batch.scored;
    all.ids.insert(all.ids.end(), batch.ids.begin(), batch.ids.end());
    all.targets.insert(all.targets.end(), batch.targets.begin(), batch.targets.end());
    all.starts.insert(all.starts.end(), batch.starts.begin(), batch.starts.end());
  }
  return all;
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
      trained_(freeze_others(model, trained, options)) {
  for (int64_t member = 0; member < model.members(); ++member) {
    std::vector<AdamW::Parameter> parameters = trained_;
    for (AdamW::Parameter& each : parameters)
      each.tensor = model::of_member(model, each.tensor, member);
    optimizers_.emplace_back(parameters, options);
    members_.push_back(std::move(parameters));
  }
}

std::vector<at::Tensor> TrainStep::accumulate(std::span<const TokenBatch> batches,
                                              std::span<const double> divisors,
                                              Precision precision) {
  const auto members = static_cast<int64_t>(batches.size());
  std::vector<at::Tensor> losses;
  {
    const PrecisionGuard guard(precision, device_.type());
    const TokenBatch all = side_by_side(batches);
    const at::Tensor ids = to_tensor(all.ids, {all.rows, all.context}, device_);
    const at::Tensor targets =
        to_tensor(all.targets, {members, all.rows * all.context / members}, device_);
    const at::Tensor hidden = model_.hidden(ids, starts_of(all, device_)).flatten(0, 1);
    if (members == 1) {
      losses = {next_token_loss(hidden, model_.unembedding(), targets[0], divisors[0])};
    } else {
      // Taken apart once: a view for each member would give each a gradient of the whole.
      const auto vectors = hidden.view({members, -1, hidden.size(-1)}).unbind();
      const auto unembeddings = model_.unembedding().unbind();
      for (size_t m = 0; m < batches.size(); ++m)
        losses.push_back(next_token_loss(vectors[m], unembeddings[m],
                                         targets[static_cast<int64_t>(m)], divisors[m]));
    }
  }
  (members == 1 ? losses[0] : at::stack(losses).sum()).backward();
  for (at::Tensor& loss : losses) loss = loss.detach();
  return losses;
}

std::vector<TrainStep::Result> TrainStep::run(std::span<const std::vector<TokenBatch>> batches,
                                              double lr) {
  std::vector<Result> results(members_.size());
  for (const std::vector<TokenBatch>& each : batches) {
    if (each.size() != members_.size())
      throw std::invalid_argument("a step needs a batch for each member");
    for (size_t m = 0; m < members_.size(); ++m) results[m].scored += each[m].scored;
  }
  std::vector<double> divisors;
  for (const Result& result : results) {
    if (result.scored == 0) throw std::invalid_argument("a step without a scored token");
    divisors.push_back(static_cast<double>(result.scored));
  }
  const c10::AutoGradMode with_gradients(true);
  for (const std::vector<TokenBatch>& each : batches) {
    const std::vector<at::Tensor> losses = accumulate(each, divisors, precision_);
    for (size_t m = 0; m < members_.size(); ++m) {
      at::Tensor& loss = results[m].loss;
      loss = loss.defined() ? loss.add(losses[m]) : losses[m];
    }
  }
  for (size_t m = 0; m < members_.size(); ++m) {
    give_gradients(static_cast<int64_t>(m));
    results[m].grad_norm = optimizers_[m].step(lr);
  }
  drop_gradients();
  return results;
}

TrainStep::Result TrainStep::run(std::span<const TokenBatch> micro_batches, double lr) {
  std::vector<std::vector<TokenBatch>> batches;
  for (const TokenBatch& batch : micro_batches) batches.push_back({batch});
  return run(batches, lr).front();
}

// Of one member they are those of the parameters themselves.
void TrainStep::give_gradients(int64_t member) {
  if (members_.size() == 1) return;
  const auto& parameters = members_[static_cast<size_t>(member)];
  for (size_t i = 0; i < trained_.size(); ++i) {
    const at::Tensor& gradient = trained_[i].tensor.grad();
    if (gradient.defined()) parameters[i].tensor.mutable_grad() = gradient.select(0, member);
  }
}

void TrainStep::drop_gradients() {
  for (const AdamW::Parameter& each : trained_) each.tensor.mutable_grad().reset();
}

model::ParameterArrays TrainStep::state(size_t member) const {
  model::ParameterArrays arrays;
  for (const auto& [name, tensor] : optimizers_.at(member).state())
    arrays[name] = model::to_array(tensor);
  return arrays;
}

void TrainStep::load_state(const model::ParameterArrays& state, size_t member) {
  for (const auto& [name, tensor] : optimizers_.at(member).state()) {
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
  const std::vector<TokenBatch> batches(members_.size(), batch);
  const std::vector<double> divisors(members_.size(),
                                     static_cast<double>(std::max<int64_t>(batch.scored, 1)));
  const auto begin = std::chrono::steady_clock::now();
  for (const at::Tensor& loss : accumulate(batches, divisors, precision)) loss.item<float>();
  const auto end = std::chrono::steady_clock::now();
  drop_gradients();
  return std::chrono::duration<double>(end - begin).count();
}

}  // namespace mesita::training
