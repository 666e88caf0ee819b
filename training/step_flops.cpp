#include "training/step_flops.h"

#include <algorithm>

namespace mesita::training {
namespace {

using model::ParameterRole;

/// Goes through the model from below and knows whether anything so far wants a gradient.
class Counter {
 public:
  Counter(const std::vector<ParameterRole>& trained, int64_t positions)
      : trained_(trained), positions_(positions) {}

  bool is_trained(ParameterRole role) const {
    return std::find(trained_.begin(), trained_.end(), role) != trained_.end();
  }

  /// A product with a weight, whose input wants a gradient or not; returns whether its output does.
  bool product(bool input, ParameterRole role, int64_t inputs, int64_t outputs) {
    const int64_t flops = 2 * positions_ * inputs * outputs;
    counted.forward += flops;
    if (input) counted.activation_gradients += flops;
    if (is_trained(role)) counted.weight_gradients += flops;
    return input || is_trained(role);
  }

  StepFlops counted;

 private:
  const std::vector<ParameterRole>& trained_;
  int64_t positions_;
};

}  // namespace

StepFlops step_flops(const model::ModelConfig& config, const std::vector<ParameterRole>& trained,
                     int64_t rows, int64_t context) {
  Counter counter(trained, rows * context);
  const int64_t width = config.width;
  const int64_t pairs = rows * context * (context + 1) / 2;
  const bool norm = counter.is_trained(ParameterRole::norm);
  bool x = counter.is_trained(ParameterRole::token_embedding) ||
           (config.position == model::PositionKind::learned &&
            counter.is_trained(ParameterRole::position_embedding));
  for (int64_t layer = 0; layer < config.layers; ++layer) {
    const bool normal = x || norm;
    const bool query_key = counter.product(normal, ParameterRole::query_key, width, 2 * width);
    const bool value = counter.product(normal, ParameterRole::value, width, width);
    const bool mixed = query_key || value;
    counter.counted.attention_forward += 2 * 2 * pairs * width;
    // Gradients of values take one product, those of queries and keys three.
    counter.counted.attention_backward +=
        ((value ? 1 : 0) + (query_key ? 3 : 0)) * 2 * pairs * width;
    x = counter.product(mixed, ParameterRole::attention_output, width, width) || x;
    const bool hidden =
        counter.product(x || norm, ParameterRole::feed_forward, width, config.feed_forward);
    x = counter.product(hidden, ParameterRole::feed_forward, config.feed_forward, width) || x;
  }
  const ParameterRole unembedding =
      config.tied_unembedding ? ParameterRole::token_embedding : ParameterRole::unembedding;
  counter.product(x || norm, unembedding, width, config.vocabulary);
  return counter.counted;
}

}  // namespace mesita::training
