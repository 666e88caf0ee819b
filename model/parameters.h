#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/config.h"

namespace mesita::model {

/// What a parameter is for. A run names the roles that it trains; the rest keeps its random initial
/// value ("random transformers", Zhong & Andreas 2024).
enum class ParameterRole {
  token_embedding,
  position_embedding,
  query_key,
  value,
  attention_output,
  feed_forward,
  norm,
  unembedding,
};

std::string_view name_of(ParameterRole role);
/// Throws std::invalid_argument that lists the known roles.
ParameterRole parameter_role(std::string_view name);

/// A named choice of roles to train.
struct TrainedPreset {
  std::string_view name;
  std::vector<ParameterRole> roles;  // in enum order
};

/// All presets. The paper's ablations (Zhong & Andreas 2024, Table 2) are `embeddings` (token,
/// position and unembedding), `input_embeddings` (token and position), `token_and_unembedding` and
/// the role `unembedding` alone; `all`, `attention` and `interior` (all but embeddings and
/// unembedding) are their counterparts.
const std::vector<TrainedPreset>& trained_presets();

/// The roles of a role or preset name, or of a comma-separated list of such names, in enum order
/// and without repetition. Throws std::invalid_argument that lists what is known.
std::vector<ParameterRole> trained_roles(std::string_view names);

/// Names of all presets and roles, for messages: "presets all, ...; roles token_embedding, ...".
std::string known_trained_names();

/// How a parameter gets its first value.
enum class InitialValue { normal, zeros, ones };

/// One tensor of a model: everything about it that does not depend on training.
struct ParameterSpec {
  std::string name;            // as in model.safetensors, e.g. "blocks.0.mixer.query_key.weight"
  std::vector<int64_t> shape;  // weights are [out, in] as in PyTorch
  ParameterRole role = ParameterRole::norm;
  InitialValue initial = InitialValue::zeros;
  double standard_deviation = 0.0;  // only for InitialValue::normal

  int64_t size() const;  // number of elements
};

/// All parameters in a fixed order, which is the order of modules, files and hashes:
///   token_embedding.weight [V, d]; position_embedding.weight [T, d] (learned positions only);
///   per block i: blocks.i.mixer_norm.{weight,bias} [d]; blocks.i.mixer.query_key.{weight [2d, d],
///   bias [2d]} (queries first); blocks.i.mixer.value.{weight [d, d], bias}; blocks.i.mixer.output.
///   {weight [d, d], bias}; blocks.i.feed_forward_norm.{weight,bias}; blocks.i.feed_forward.up.
///   {weight [f, d], bias [f]}; blocks.i.feed_forward.down.{weight [d, f], bias [d]};
///   final_norm.{weight,bias}; unembedding.weight [V, d] (absent when tied).
/// Initial values as GPT-2: N(0, 0.02^2), the two residual projections (mixer.output,
/// feed_forward.down) N(0, (0.02 / sqrt(2 layers))^2), biases 0, norms 1 and 0.
std::vector<ParameterSpec> parameter_specs(const ModelConfig& config);

/// True for what makes up a frozen core: everything but embeddings, learned positions and
/// unembedding.
bool is_interior(ParameterRole role);

/// True when the spec's role is among the trained ones; the others are frozen.
bool is_trained(const ParameterSpec& spec, const std::vector<ParameterRole>& trained);

/// Number of elements of all parameters, and of those whose role is trained.
int64_t count_parameters(const ModelConfig& config);
int64_t count_trained(const ModelConfig& config, const std::vector<ParameterRole>& trained);

/// Values of one tensor, row-major.
struct ParameterArray {
  std::vector<int64_t> shape;
  std::vector<float> values;
};

/// Parameter values by name.
using ParameterArrays = std::map<std::string, ParameterArray>;

}  // namespace mesita::model
