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

/// Trains the named roles of a model, one optimizer step at a time. Parameters of other roles are
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
  /// One step over micro-batches whose gradients add up. Waits for the device at most to take the
  /// ids.
  Result run(std::span<const TokenBatch> micro_batches, double lr);

  /// Wall seconds of forward and backward on one micro-batch; changes nothing.
  double measure(const TokenBatch& batch, Precision precision);
  /// The optimizer's state, exactly: with the same weights and batches the steps after
  /// load_state(state()) are the same bits.
  model::ParameterArrays state() const;
  /// Entries of other names are left alone. Throws std::runtime_error when one is missing or has
  /// another shape.
  void load_state(const model::ParameterArrays& state);
  void set_precision(Precision precision) { precision_ = precision; }

 private:
  at::Tensor accumulate(const TokenBatch& batch, double divisor, Precision precision);

  model::LanguageModel& model_;
  c10::Device device_;
  Precision precision_;
  std::vector<AdamW::Parameter> trained_;
  AdamW optimizer_;
};

/// Ids or targets of a batch on a device.
at::Tensor to_tensor(const std::vector<int64_t>& values, at::IntArrayRef shape, c10::Device device);

/// Where documents begin, as LanguageModel::hidden takes it; undefined when the batch does not say.
at::Tensor starts_of(const TokenBatch& batch, c10::Device device);

/// Marks the parameters of `trained` roles as trained and all others as frozen; returns the
/// trained, with what `options` says of their decay.
std::vector<AdamW::Parameter> freeze_others(model::LanguageModel& model,
                                            const std::vector<model::ParameterRole>& trained,
                                            const RunConfig::Optimizer& options);

}  // namespace mesita::training
