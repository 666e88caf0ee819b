#pragma once

#include "model/initialization.h"
#include "model/parameters.h"

namespace mesita::testing {

/// Random values that are large enough for distributions to differ from uniform and for every
/// tensor, biases and norms included, to matter.
inline model::ParameterArrays tiny_parameters(const model::ModelConfig& config, uint64_t seed) {
  model::ParameterArrays values;
  for (model::ParameterSpec spec : model::parameter_specs(config)) {
    const bool scale = spec.initial == model::InitialValue::ones;
    spec.initial = model::InitialValue::normal;
    spec.standard_deviation = spec.shape.size() == 2 ? 0.3 : 0.2;
    model::ParameterArray& array = values[spec.name] = model::initial_value(spec, seed);
    if (scale) {
      for (float& value : array.values) value += 1.0F;
    }
  }
  return values;
}

}  // namespace mesita::testing
