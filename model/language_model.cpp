#include "model/language_model.h"

#include <ATen/ops/from_blob.h>
#include <ATen/ops/linear.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <stdexcept>

#include "model/layers/tensor_values.h"
#include "model/transformer.h"

namespace mesita::model {
namespace {

std::string text_of(std::span<const int64_t> shape) {
  std::string text = "[";
  for (const int64_t size : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  return text + "]";
}

void enter_value(const ParameterSpec& spec, const ParameterArrays& values, at::Tensor parameter) {
  const auto found = values.find(spec.name);
  if (found == values.end()) {
    throw std::invalid_argument("make_language_model: no values for " + spec.name);
  }
  const ParameterArray& array = found->second;
  if (array.shape != spec.shape || static_cast<int64_t>(array.values.size()) != spec.size()) {
    throw std::invalid_argument(
        "make_language_model: " + spec.name + " has shape " + text_of(array.shape) + " with " +
        std::to_string(array.values.size()) + " values, expected " + text_of(spec.shape));
  }
  const c10::NoGradGuard no_grad;
  std::ranges::copy(array.values, parameter.mutable_data_ptr<float>());
}

}  // namespace

at::Tensor LanguageModel::forward(const at::Tensor& ids) {
  return at::linear(hidden(ids), unembedding());
}

std::unique_ptr<LanguageModel> make_language_model(const ModelConfig& config,
                                                   const ParameterArrays& values) {
  validate(config);
  auto model = std::make_unique<Transformer>(config);
  const std::vector<ParameterSpec> specs = parameter_specs(config);
  const auto parameters = model->named_parameters();
  for (size_t i = 0; i < specs.size(); ++i) {
    if (i >= parameters.size() || parameters[i].first != specs[i].name) {
      throw std::logic_error("make_language_model: the modules lack " + specs[i].name);
    }
    enter_value(specs[i], values, parameters[i].second);
  }
  return model;
}

ParameterArrays parameter_arrays(const LanguageModel& model) {
  ParameterArrays arrays;
  for (const auto& [name, tensor] : model.named_parameters()) {
    arrays[name] = {tensor.sizes().vec(), layers::float_values(tensor)};
  }
  return arrays;
}

}  // namespace mesita::model
