#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <utility>
#include <vector>

#include "training/run_config.h"

namespace mesita::training {

/// Which parameters weight decay acts on, by options.decayed: "matrices" (two dimensions or more),
/// "all", or the matrices of the named roles and presets. Throws std::invalid_argument for names
/// that are none.
bool is_decayed(const model::ParameterSpec& spec, const RunConfig::Optimizer& options);

/// AdamW (Loshchilov & Hutter 2019) in one fused call per group, with global norm clipping that
/// never waits for the device.
class AdamW {
 public:
  /// A tensor to train, and whether its weights decay.
  struct Parameter {
    at::Tensor tensor;
    bool decayed = false;
  };
  /// Only `parameters` get state (float32, two values per element).
  AdamW(const std::vector<Parameter>& parameters, const RunConfig::Optimizer& options);

  /// One step with the gradients in .grad(), which it then drops. Returns their global norm before
  /// clipping, a scalar on the device. Where the norm is not finite nothing is changed.
  at::Tensor step(double lr);

  /// Everything that the next step depends on beside parameters and gradients, by name; the numbers
  /// of the parameters are those of the constructor's list.
  std::vector<std::pair<std::string, at::Tensor>> state() const;

 private:
  struct Group {
    std::vector<size_t> numbers;  // of its parameters
    std::vector<at::Tensor> parameters, means, squares;
    double weight_decay = 0.0;
  };

  RunConfig::Optimizer options_;
  std::vector<Group> groups_;
  at::Tensor steps_;  // scalar, float32
};

}  // namespace mesita::training
