#include "model/parameters.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <stdexcept>
#include <utility>

namespace mesita::model {

namespace {

constexpr std::array kRoleNames = {
    std::pair{ParameterRole::token_embedding, std::string_view("token_embedding")},
    std::pair{ParameterRole::position_embedding, std::string_view("position_embedding")},
    std::pair{ParameterRole::query_key, std::string_view("query_key")},
    std::pair{ParameterRole::value, std::string_view("value")},
    std::pair{ParameterRole::attention_output, std::string_view("attention_output")},
    std::pair{ParameterRole::feed_forward, std::string_view("feed_forward")},
    std::pair{ParameterRole::norm, std::string_view("norm")},
    std::pair{ParameterRole::unembedding, std::string_view("unembedding")},
};

constexpr double kStandardDeviation = 0.02;  // GPT-2's

std::string known_roles() {
  std::string known;
  for (const auto& [role, name] : kRoleNames) {
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  return known;
}

std::vector<TrainedPreset> make_presets() {
  using enum ParameterRole;
  std::vector<ParameterRole> all, interior;
  for (const auto& [role, name] : kRoleNames) {
    all.push_back(role);
    if (is_interior(role)) interior.push_back(role);
  }
  return {
      {"all", std::move(all)},
      {"embeddings", {token_embedding, position_embedding, unembedding}},
      {"input_embeddings", {token_embedding, position_embedding}},
      {"token_and_unembedding", {token_embedding, unembedding}},
      {"attention", {query_key, value, attention_output}},
      {"interior", std::move(interior)},
  };
}

std::vector<ParameterRole> roles_named(std::string_view name) {
  for (const TrainedPreset& preset : trained_presets()) {
    if (preset.name == name) return preset.roles;
  }
  for (const auto& [role, role_name] : kRoleNames) {
    if (role_name == name) return {role};
  }
  throw std::invalid_argument("trained role \"" + std::string(name) +
                              "\" is unknown: use one or several, separated by commas, of the " +
                              known_trained_names());
}

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

ParameterSpec normal(std::string name, std::vector<int64_t> shape, ParameterRole role,
                     double standard_deviation = kStandardDeviation) {
  return {std::move(name), std::move(shape), role, InitialValue::normal, standard_deviation};
}

ParameterSpec zeros(std::string name, std::vector<int64_t> shape, ParameterRole role) {
  return {std::move(name), std::move(shape), role, InitialValue::zeros, 0.0};
}

ParameterSpec ones(std::string name, std::vector<int64_t> shape, ParameterRole role) {
  return {std::move(name), std::move(shape), role, InitialValue::ones, 0.0};
}

void append_norm(std::vector<ParameterSpec>& specs, const std::string& name, int64_t width) {
  specs.push_back(ones(name + ".weight", {width}, ParameterRole::norm));
  specs.push_back(zeros(name + ".bias", {width}, ParameterRole::norm));
}

void append_linear(std::vector<ParameterSpec>& specs, const std::string& name, int64_t out,
                   int64_t in, ParameterRole role, double standard_deviation) {
  specs.push_back(normal(name + ".weight", {out, in}, role, standard_deviation));
  specs.push_back(zeros(name + ".bias", {out}, role));
}

void append_block(std::vector<ParameterSpec>& specs, const ModelConfig& config, int64_t block) {
  const int64_t d = config.width;
  const int64_t f = config.feed_forward;
  const double residual = kStandardDeviation / std::sqrt(2.0 * static_cast<double>(config.layers));
  const std::string name = "blocks." + std::to_string(block) + ".";
  append_norm(specs, name + "mixer_norm", d);
  append_linear(specs, name + "mixer.query_key", 2 * d, d, ParameterRole::query_key,
                kStandardDeviation);
  append_linear(specs, name + "mixer.value", d, d, ParameterRole::value, kStandardDeviation);
  append_linear(specs, name + "mixer.output", d, d, ParameterRole::attention_output, residual);
  append_norm(specs, name + "feed_forward_norm", d);
  append_linear(specs, name + "feed_forward.up", f, d, ParameterRole::feed_forward,
                kStandardDeviation);
  append_linear(specs, name + "feed_forward.down", d, f, ParameterRole::feed_forward, residual);
}

}  // namespace

std::string_view name_of(ParameterRole role) {
  for (const auto& [value, name] : kRoleNames) {
    if (value == role) return name;
  }
  throw std::invalid_argument("value " + std::to_string(static_cast<int>(role)) +
                              " names no parameter role: use one of the enumerators");
}

ParameterRole parameter_role(std::string_view name) {
  for (const auto& [value, role_name] : kRoleNames) {
    if (role_name == name) return value;
  }
  throw std::invalid_argument("parameter role \"" + std::string(name) +
                              "\" is unknown: use one of " + known_roles());
}

const std::vector<TrainedPreset>& trained_presets() {
  static const std::vector<TrainedPreset> presets = make_presets();
  return presets;
}

std::string known_trained_names() {
  std::string presets;
  for (const TrainedPreset& preset : trained_presets()) {
    presets += (presets.empty() ? "" : ", ") + std::string(preset.name);
  }
  return "presets " + presets + "; roles " + known_roles();
}

std::vector<ParameterRole> trained_roles(std::string_view names) {
  std::set<ParameterRole> roles;
  for (size_t begin = 0; begin <= names.size();) {
    const size_t end = std::min(names.find(',', begin), names.size());
    const auto named = roles_named(without_blanks(names.substr(begin, end - begin)));
    roles.insert(named.begin(), named.end());
    begin = end + 1;
  }
  return {roles.begin(), roles.end()};
}

int64_t ParameterSpec::size() const {
  int64_t size = 1;
  for (const int64_t extent : shape) size *= extent;
  return size;
}

std::vector<ParameterSpec> parameter_specs(const ModelConfig& config) {
  validate(config);
  std::vector<ParameterSpec> specs;
  specs.push_back(normal("token_embedding.weight", {config.vocabulary, config.width},
                         ParameterRole::token_embedding));
  if (config.position == PositionKind::learned) {
    specs.push_back(normal("position_embedding.weight", {config.context, config.width},
                           ParameterRole::position_embedding));
  }
  for (int64_t block = 0; block < config.layers; ++block) append_block(specs, config, block);
  append_norm(specs, "final_norm", config.width);
  if (!config.tied_unembedding) {
    specs.push_back(normal("unembedding.weight", {config.vocabulary, config.width},
                           ParameterRole::unembedding));
  }
  return specs;
}

bool is_interior(ParameterRole role) {
  return role != ParameterRole::token_embedding && role != ParameterRole::position_embedding &&
         role != ParameterRole::unembedding;
}

bool is_trained(const ParameterSpec& spec, const std::vector<ParameterRole>& trained) {
  return std::find(trained.begin(), trained.end(), spec.role) != trained.end();
}

int64_t count_parameters(const ModelConfig& config) {
  return count_trained(config, trained_roles("all"));
}

int64_t count_trained(const ModelConfig& config, const std::vector<ParameterRole>& trained) {
  int64_t count = 0;
  for (const ParameterSpec& spec : parameter_specs(config)) {
    if (is_trained(spec, trained)) count += spec.size();
  }
  return count;
}

}  // namespace mesita::model
