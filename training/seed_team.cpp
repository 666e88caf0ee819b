#include "training/seed_team.h"

#include <c10/core/GradMode.h>

#include <algorithm>
#include <chrono>

namespace mesita::training {
namespace {

// Numbers of the widest activation of a stack: a quarter of a megabyte, a share of a core's cache.
constexpr int64_t kStackedNumbers = int64_t{1} << 16;

}  // namespace

int64_t SeedTeam::seeds_per_stack(const RunConfig& config, int64_t seeds) {
  const int64_t numbers = config.batch.rows * config.row_context() *
                          std::max(config.model.feed_forward, config.model.width);
  const int64_t share = (seeds + config.threads - 1) / config.threads;
  return std::clamp<int64_t>(kStackedNumbers / numbers, 1, share);
}

SeedTeam::SeedTeam(const RunConfig& config, std::span<const model::ParameterArrays> initial,
                   c10::Device device) {
  const auto per_stack =
      device.is_cpu()
          ? static_cast<size_t>(seeds_per_stack(config, static_cast<int64_t>(initial.size())))
          : initial.size();
  for (size_t first = 0; first < initial.size(); first += per_stack) {
    Stack& stack = stacks_.emplace_back();
    stack.first = first;
    stack.seeds = std::min(per_stack, initial.size() - first);
    stack.model = model::make_members(config.model, initial.subspan(first, stack.seeds));
    stack.model->to(device, at::kFloat);
    stack.step = std::make_unique<TrainStep>(*stack.model, config.trained_roles(), config.optimizer,
                                             Precision::float32);
  }
  const int64_t threads = std::min<int64_t>(config.threads, static_cast<int64_t>(stacks_.size()));
  if (device.is_cpu() && threads > 1) workers_ = std::make_unique<WorkerTeam>(threads);
}

void SeedTeam::for_each(const std::function<void(Stack&)>& work) {
  // What a thread has been told of autograd holds for itself alone.
  const bool with_gradients = c10::GradMode::is_enabled();
  const auto one = [&](int64_t number) {
    const c10::AutoGradMode mode(with_gradients);
    work(stacks_[static_cast<size_t>(number)]);
  };
  const auto count = static_cast<int64_t>(stacks_.size());
  if (workers_) return workers_->run(count, one);
  for (int64_t i = 0; i < count; ++i) one(i);
}

std::vector<TrainStep::Result> SeedTeam::run(std::span<const std::vector<TokenBatch>> batches,
                                             double lr) {
  std::vector<TrainStep::Result> results(batches.size());
  for_each([&](Stack& stack) {
    std::vector<std::vector<TokenBatch>> own(batches[stack.first].size());
    for (size_t i = 0; i < own.size(); ++i) {
      for (size_t m = 0; m < stack.seeds; ++m) own[i].push_back(batches[stack.first + m][i]);
    }
    std::vector<TrainStep::Result> stacked = stack.step->run(own, lr);
    std::move(stacked.begin(), stacked.end(),
              results.begin() + static_cast<std::ptrdiff_t>(stack.first));
  });
  return results;
}

std::vector<Evaluation> SeedTeam::evaluate(const EvaluationSet& set, Precision precision,
                                           bool rounded) {
  std::vector<Evaluation> results(stacks_.back().first + stacks_.back().seeds);
  for_each([&](Stack& stack) {
    const c10::NoGradGuard no_grad;
    std::vector<std::pair<at::Tensor, at::Tensor>> kept;
    for (const auto& [name, tensor] : stack.model->named_parameters()) {
      if (!rounded || !tensor.requires_grad()) continue;
      kept.emplace_back(tensor, tensor.clone());
      tensor.copy_(tensor.to(at::kBFloat16));
    }
    const auto evaluations = evaluate_members(*stack.model, set, precision);
    for (const auto& [tensor, values] : kept) tensor.copy_(values);
    std::copy(evaluations.begin(), evaluations.end(),
              results.begin() + static_cast<std::ptrdiff_t>(stack.first));
  });
  return results;
}

double SeedTeam::measure(const TokenBatch& batch, Precision precision) {
  const auto begin = std::chrono::steady_clock::now();
  for_each([&](Stack& stack) { stack.step->measure(batch, precision); });
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void SeedTeam::set_precision(Precision precision) {
  for (Stack& stack : stacks_) stack.step->set_precision(precision);
}

c10::Device SeedTeam::device() const {
  return stacks_.front().model->unembedding().device();
}

const SeedTeam::Stack& SeedTeam::stack_of(size_t seed) const {
  return *std::find_if(stacks_.begin(), stacks_.end(), [&](const Stack& stack) {
    return seed >= stack.first && seed < stack.first + stack.seeds;
  });
}

model::ParameterArrays SeedTeam::values(size_t seed) const {
  const Stack& stack = stack_of(seed);
  return model::parameter_arrays(*stack.model, static_cast<int64_t>(seed - stack.first));
}

model::ParameterArrays SeedTeam::state(size_t seed) const {
  const Stack& stack = stack_of(seed);
  return stack.step->state(seed - stack.first);
}

void SeedTeam::restore(size_t seed, const model::ParameterArrays& values,
                       const model::ParameterArrays& state) {
  const Stack& stack = stack_of(seed);
  model::assign_parameters(*stack.model, values, static_cast<int64_t>(seed - stack.first));
  stack.step->load_state(state, seed - stack.first);
}

std::shared_ptr<model::LanguageModel> SeedTeam::model_of(size_t seed) const {
  const Stack& stack = stack_of(seed);
  if (stack.seeds == 1) return stack.model;
  return model::make_language_model(stack.model->config(), values(seed));
}

}  // namespace mesita::training
