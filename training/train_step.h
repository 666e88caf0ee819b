#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "model/language_model.h"
#include "training/data/batch_source.h"
#include "training/optimizer.h"
#include "training/run_config.h"

namespace mesita::training {

/// Trains the named roles of a model, one optimizer step at a time. The members of a model of
/// several are trained side by side: each has its own batches, loss, clipping and optimizer state.
/// Parameters of other roles are
/// frozen: they get no gradient, no optimizer state and no weight-gradient work.
class TrainStep {
 public:
  /// The model must outlive this, on its final device. Throws std::invalid_argument when no
  /// parameter has one of the roles.
  TrainStep(model::LanguageModel& model, const std::vector<model::ParameterRole>& trained,
            const RunConfig::Optimizer& options, Precision precision);

  struct Result {
    at::Tensor loss;  // scalar: mean nats over the scored tokens of all micro-batches
    at::Tensor grad_norm;
    int64_t scored = 0;
  };
  /// One step of each member over its micro-batches, whose gradients add up: batches[i][m] is
  /// micro- batch i of member m, all of one shape. Waits for the device at most to take the ids.
  /// Throws std::invalid_argument when nothing is scored.
  std::vector<Result> run(std::span<const std::vector<TokenBatch>> batches, double lr);
  /// The same for a model that is one.
  Result run(std::span<const TokenBatch> micro_batches, double lr);

  /// Wall seconds of forward and backward with this micro-batch for each member; changes nothing.
  double measure(const TokenBatch& batch, Precision precision);
  /// A member's optimizer state, exactly: with the same weights and batches the steps after
  /// load_state(state()) are the same bits.
  model::ParameterArrays state(size_t member = 0) const;
  /// Entries of other names are left alone. Throws std::runtime_error when one is missing or has
  /// another shape.
  void load_state(const model::ParameterArrays& state, size_t member = 0);
  void set_precision(Precision precision) { precision_ = precision; }

 private:
  std::vector<at::Tensor> accumulate(std::span<const TokenBatch> batches,
                                     std::span<const double> divisors, Precision precision);
  void give_gradients(int64_t member);
  void drop_gradients();

  model::LanguageModel& model_;
  c10::Device device_;
  Precision precision_;
  std::vector<AdamW::Parameter> trained_;
  std::vector<std::vector<AdamW::Parameter>> members_;  // views of trained_
  std::vector<AdamW> optimizers_;                       // one per member
};

/// Ids or targets of a batch on a device.
at::Tensor to_tensor(const std::vector<int64_t>& values, at::IntArrayRef shape, c10::Device device);

/// Batches of one shape as one, their rows one after another.
TokenBatch side_by_side(std::span<const TokenBatch> batches);

/// Where documents begin, as LanguageModel::hidden takes it; undefined when the batch does not say.
at::Tensor starts_of(const TokenBatch& batch, c10::Device device);

/// Marks the parameters of `trained` roles as trained and all others as frozen; returns the
/// trained, with what `options` says of their decay.
std::vector<AdamW::Parameter> freeze_others(model::LanguageModel& model,
                                            const std::vector<model::ParameterRole>& trained,
                                            const RunConfig::Optimizer& options);

}  // namespace mesita::training
