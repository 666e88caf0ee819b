#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <utility>
#include <vector>

#include "training/run_config.h"

namespace mesita::training {

/// AdamW (Loshchilov & Hutter 2019) in one fused call per group, with global norm clipping that
/// never waits for the device. Tensors with two dimensions or more are decayed, others are not.
class AdamW {
 public:
  /// Only `parameters` get state (float32, two values per element).
  AdamW(std::vector<at::Tensor> parameters, const RunConfig::Optimizer& options);

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
