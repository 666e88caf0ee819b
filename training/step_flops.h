#pragma once

#include <cstdint>
#include <vector>

#include "model/config.h"
#include "model/parameters.h"

namespace mesita::training {

/// Floating-point operations of one forward and backward pass, by what they are for. Counted as
/// PyTorch's FlopCounterMode does, 2 m k n for a product of [m, k] and [k, n], and nothing for
/// lookups, norms, activations and sums. Attention is counted by what a causal mask leaves, T (T +
/// 1) / 2 pairs of positions in a row of T, and without what its backward pass computes again.
struct StepFlops {
  int64_t forward = 0;               // products with weights
  int64_t activation_gradients = 0;  // of those products: only above the lowest trained tensor
  int64_t weight_gradients = 0;      // only of trained weights
  int64_t attention_forward = 0;     // products of queries, keys and values
  int64_t attention_backward = 0;

  int64_t total() const {
    return forward + activation_gradients + weight_gradients + attention_forward +
           attention_backward;
  }
};

/// For a batch of rows x context tokens when the tensors of the roles `trained` are trained and the
/// others frozen: a frozen tensor needs no gradient of its own, and nothing below the lowest
/// trained one needs any.
StepFlops step_flops(const model::ModelConfig& config,
                     const std::vector<model::ParameterRole>& trained, int64_t rows,
                     int64_t context);

}  // namespace mesita::training
