#include "model/initialization.h"

#include "model/kernels/seeded_normal.h"

namespace mesita::model {

ParameterArray initial_value(const ParameterSpec& spec, uint64_t seed) {
  ParameterArray array{spec.shape, {}};
  const auto size = static_cast<size_t>(spec.size());
  switch (spec.initial) {
    case InitialValue::zeros:
      array.values.assign(size, 0.0F);
      break;
    case InitialValue::ones:
      array.values.assign(size, 1.0F);
      break;
    case InitialValue::normal:
      array.values.resize(size);
      kernels::seeded_normal(seed, kernels::stream_of(spec.name), array.values);
      // The product is rounded to float32 once, from float64: part of the recipe.
      for (float& value : array.values) {
        value = static_cast<float>(static_cast<double>(value) * spec.standard_deviation);
      }
      break;
  }
  return array;
}

ParameterArrays initial_values(const ModelConfig& config, uint64_t seed) {
  ParameterArrays arrays;
  for (const ParameterSpec& spec : parameter_specs(config)) {
    arrays.emplace(spec.name, initial_value(spec, seed));
  }
  return arrays;
}

}  // namespace mesita::model
