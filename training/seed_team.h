#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "model/language_model.h"
#include "training/evaluate.h"
#include "training/train_step.h"
#include "training/worker_team.h"

namespace mesita::training {

/// The models of a run's seeds, trained side by side. Seeds are stacked into models of several
/// members (LanguageModel::members) as far as an activation of the stack stays in a core's cache: a
/// product of many small models costs little more than that of one. The stacks of a CPU run at the
/// same time, each on a thread of its own; on a GPU there is one stack. One seed alone is a plain
/// model with all threads.
class SeedTeam {
 public:
  SeedTeam() = default;
  /// One seed for each of `initial`. config: resolved.
  SeedTeam(const RunConfig& config, std::span<const model::ParameterArrays> initial,
           c10::Device device);

  /// One step: batches[seed][micro-batch] -> a result for each seed.
  std::vector<TrainStep::Result> run(std::span<const std::vector<TokenBatch>> batches, double lr);
  /// One evaluation for each seed; `rounded`: of the trained weights as bf16 stores them.
  std::vector<Evaluation> evaluate(const EvaluationSet& set, Precision precision, bool rounded);
  /// Wall seconds of forward and backward with this batch for each seed; changes nothing.
  double measure(const TokenBatch& batch, Precision precision);
  void set_precision(Precision precision);

  c10::Device device() const;
  /// Of one seed: present values, optimizer state, both put back, a model to sample from.
  model::ParameterArrays values(size_t seed) const;
  model::ParameterArrays state(size_t seed) const;
  void restore(size_t seed, const model::ParameterArrays& values,
               const model::ParameterArrays& state);
  std::shared_ptr<model::LanguageModel> model_of(size_t seed) const;

  /// How many seeds one stack of this run has on a CPU with these threads.
  static int64_t seeds_per_stack(const RunConfig& config, int64_t seeds);

 private:
  struct Stack {
    std::shared_ptr<model::LanguageModel> model;
    std::unique_ptr<TrainStep> step;
    size_t first = 0;  // of its seeds
    size_t seeds = 1;
  };
  /// Calls work for every stack, on as many threads as the run has.
  void for_each(const std::function<void(Stack&)>& work);
  const Stack& stack_of(size_t seed) const;

  std::vector<Stack> stacks_;
  std::unique_ptr<WorkerTeam> workers_;  // with several stacks on a CPU
};

}  // namespace mesita::training
