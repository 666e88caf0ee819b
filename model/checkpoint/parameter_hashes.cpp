// frozen_hash and core_hash of checkpoint.h.
#include <algorithm>
#include <bit>
#include <span>
#include <stdexcept>
#include <string>

#include "model/checkpoint/checkpoint.h"
#include "model/checkpoint/sha256.h"

namespace mesita::checkpoint {

namespace {

static_assert(std::endian::native == std::endian::little, "hashes are over little-endian float32");

// The name and shape lines leave no doubt where one tensor ends and the next begins.
void add_tensor(Sha256& hash, const model::ParameterSpec& spec,
                const model::ParameterArrays& parameters) {
  const auto found = parameters.find(spec.name);
  if (found == parameters.end() || found->second.shape != spec.shape ||
      found->second.values.size() != static_cast<size_t>(spec.size())) {
    throw std::invalid_argument("parameter " + spec.name + " is missing or has another shape");
  }
  std::string line = "tensor " + spec.name;
  for (const int64_t extent : spec.shape) line += " " + std::to_string(extent);
  hash.update(line + "\n");
  hash.update(std::as_bytes(std::span(found->second.values)));
}

std::string bits_of(double value) {
  return std::to_string(std::bit_cast<uint64_t>(value));
}

// What the interior computes, apart from its tensors. Sizes of vocabulary and context are not part
// of it.
std::string interior_text(const model::ModelConfig& config) {
  std::string text = "mesita core 1\n";
  text += "width " + std::to_string(config.width) + "\n";
  text += "layers " + std::to_string(config.layers) + "\n";
  text += "heads " + std::to_string(config.heads) + "\n";
  text += "feed_forward " + std::to_string(config.feed_forward) + "\n";
  text += "mixer " + std::string(model::name_of(config.mixer)) + "\n";
  text += "position " + std::string(model::name_of(config.position)) + "\n";
  if (config.position == model::PositionKind::rotary) {
    text += "rotary_base " + bits_of(config.rotary_base) + "\n";
  }
  text += "norm layer_norm before " + bits_of(config.norm_epsilon) + "\n";
  text += "activation gelu_tanh\n";
  return text;
}

}  // namespace

std::string frozen_hash(const CheckpointConfig& config, const model::ParameterArrays& parameters) {
  Sha256 hash;
  hash.update("mesita frozen 1\n");
  bool any = false;
  for (const model::ParameterSpec& spec : model::parameter_specs(config.model)) {
    if (model::is_trained(spec, config.trained)) continue;
    add_tensor(hash, spec, parameters);
    any = true;
  }
  return any ? hash.hex() : "";
}

std::string core_hash(const CheckpointConfig& config, const model::ParameterArrays& parameters) {
  if (std::any_of(config.trained.begin(), config.trained.end(), model::is_interior)) return "";
  Sha256 hash;
  hash.update(interior_text(config.model));
  for (const model::ParameterSpec& spec : model::parameter_specs(config.model)) {
    if (model::is_interior(spec.role)) add_tensor(hash, spec, parameters);
  }
  return hash.hex();
}

}  // namespace mesita::checkpoint
