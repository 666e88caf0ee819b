#include "model/language_model.h"

#include <ATen/ops/empty.h>
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

void enter_value(const ParameterSpec& spec, const ParameterArrays& values,
                 const at::Tensor& parameter) {
  const auto found = values.find(spec.name);
  if (found == values.end()) {
    throw std::invalid_argument("make_language_model: no values for " + spec.name);
  }
  try {
    assign(found->second, parameter);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument("make_language_model: " + spec.name + " has " + error.what());
  }
}

}  // namespace

int64_t LanguageModel::members() const {
  const at::Tensor weight = unembedding();
  return weight.dim() == 3 ? weight.size(0) : 1;
}

at::Tensor LanguageModel::forward(const at::Tensor& ids) {
  return at::linear(hidden(ids, {}), unembedding());
}

std::unique_ptr<LanguageModel> make_language_model(const ModelConfig& config,
                                                   const ParameterArrays& values) {
  validate(config);
  auto model = std::make_unique<Transformer>(config);
  assign_parameters(*model, values);
  return model;
}

std::unique_ptr<LanguageModel> make_members(const ModelConfig& config,
                                            std::span<const ParameterArrays> values) {
  if (values.empty()) throw std::invalid_argument("make_members: no members");
  if (values.size() == 1) return make_language_model(config, values[0]);
  validate(config);
  auto model = std::make_unique<Transformer>(config);
  for (const auto& [name, parameter] : model->named_parameters()) {
    std::vector<int64_t> sizes = parameter.sizes().vec();
    sizes.insert(sizes.begin(), static_cast<int64_t>(values.size()));
    parameter.set_data(at::empty(sizes, parameter.options().requires_grad(false)));
  }
  for (size_t member = 0; member < values.size(); ++member)
    assign_parameters(*model, values[member], static_cast<int64_t>(member));
  return model;
}

at::Tensor of_member(const LanguageModel& model, const at::Tensor& parameter, int64_t member) {
  return model.members() == 1 ? parameter : parameter.detach().select(0, member);
}

void assign_parameters(LanguageModel& model, const ParameterArrays& values, int64_t member) {
  const std::vector<ParameterSpec> specs = parameter_specs(model.config());
  const auto parameters = model.named_parameters();
  for (size_t i = 0; i < specs.size(); ++i) {
    if (i >= parameters.size() || parameters[i].first != specs[i].name) {
      throw std::logic_error("make_language_model: the modules lack " + specs[i].name);
    }
    enter_value(specs[i], values, of_member(model, parameters[i].second, member));
  }
}

ParameterArray to_array(const at::Tensor& tensor) {
  return {tensor.sizes().vec(), layers::float_values(tensor)};
}

void assign(const ParameterArray& array, const at::Tensor& tensor) {
  if (at::IntArrayRef(array.shape) != tensor.sizes() ||
      static_cast<int64_t>(array.values.size()) != tensor.numel()) {
    throw std::invalid_argument("shape " + text_of(array.shape) + " with " +
                                std::to_string(array.values.size()) + " values, expected " +
                                text_of(tensor.sizes()));
  }
  const c10::NoGradGuard no_grad;
  tensor.copy_(at::from_blob(const_cast<float*>(array.values.data()), tensor.sizes(),
                             at::TensorOptions(at::kFloat)));
}

ParameterArrays parameter_arrays(const LanguageModel& model, int64_t member) {
  ParameterArrays arrays;
  for (const auto& [name, tensor] : model.named_parameters()) {
    arrays[name] = to_array(of_member(model, tensor, member));
  }
  return arrays;
}

}  // namespace mesita::model
