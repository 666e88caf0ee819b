#include "tests/support/golden_model.h"

#include <ATen/ops/tensor.h>

namespace mesita::testing {

model::ModelConfig golden_config(const Golden& golden) {
  const auto whole = [&](const char* key) { return std::stoll(golden.metadata.at(key)); };
  model::ModelConfig config;
  config.vocabulary = whole("vocabulary");
  config.context = whole("context");
  config.width = whole("width");
  config.layers = whole("layers");
  config.heads = whole("heads");
  config.feed_forward = whole("feed_forward");
  config.position = model::position_kind(golden.metadata.at("position"));
  config.rotary_base = std::stod(golden.metadata.at("rotary_base"));
  config.norm_epsilon = std::stod(golden.metadata.at("norm_epsilon"));
  config.tied_unembedding = golden.metadata.at("tied_unembedding") == "true";
  return config;
}

model::ParameterArrays golden_values(const Golden& golden) {
  const std::string prefix = "weight.";
  model::ParameterArrays values;
  for (const auto& [name, tensor] : golden.tensors) {
    if (!name.starts_with(prefix)) continue;
    values[name.substr(prefix.size())] = {tensor.shape,
                                          {tensor.numbers.begin(), tensor.numbers.end()}};
  }
  return values;
}

at::Tensor golden_ids(const GoldenTensor& tensor) {
  return at::tensor(tensor.integers).view(tensor.shape);
}

}  // namespace mesita::testing
