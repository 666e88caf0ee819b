// What checkpoint.h has for reading.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/checkpoint/checkpoint.h"
#include "model/checkpoint/config_json.h"
#include "model/checkpoint/read_checkpoint.h"
#include "model/checkpoint/safetensors.h"
#include "model/checkpoint/sha256.h"
#include "model/initialization.h"

namespace mesita::checkpoint {

namespace {

constexpr uint64_t kLargestConfig = uint64_t{1} << 20;

std::string shape_text(const std::vector<int64_t>& shape) {
  std::string text = "[";
  for (const int64_t extent : shape) {
    text += (text.size() == 1 ? "" : ", ") + std::to_string(extent);
  }
  return text + "]";
}

// A stored tensor must be what config.json makes of it.
void require_match(const TensorEntry& entry, const model::ParameterSpec& spec,
                   const CheckpointConfig& config) {
  const std::string where = std::string(kModelFile) + ": tensor " + spec.name;
  if (entry.shape != spec.shape) {
    throw std::runtime_error(where + " has shape " + shape_text(entry.shape) + ", and " +
                             kConfigFile + " makes it " + shape_text(spec.shape) +
                             ": the two files do not belong together");
  }
  const bool rounded =
      config.storage == StorageType::bfloat16 && model::is_trained(spec, config.trained);
  if (entry.type != (rounded ? TensorType::bfloat16 : TensorType::float32)) {
    throw std::runtime_error(where + " is not stored as " + (rounded ? "BF16" : "F32") + ", as " +
                             kConfigFile + " says: the two files do not belong together");
  }
}

model::ParameterArrays stored_tensors(const ReadableFile& file, const CheckpointConfig& config,
                                      Form form) {
  const SafetensorsHeader header = read_safetensors_header(file);
  std::map<std::string, const TensorEntry*> entries;
  for (const TensorEntry& entry : header.tensors) entries[entry.name] = &entry;
  // All checks before the first value is read: nothing large is allocated for a wrong file.
  std::vector<const TensorEntry*> wanted;
  for (const model::ParameterSpec& spec : model::parameter_specs(config.model)) {
    if (form == Form::compact && !model::is_trained(spec, config.trained)) continue;
    const auto found = entries.find(spec.name);
    if (found == entries.end()) {
      throw std::runtime_error(std::string(kModelFile) + ": tensor " + spec.name +
                               " is missing: the file does not belong to this " + kConfigFile);
    }
    require_match(*found->second, spec, config);
    wanted.push_back(found->second);
    entries.erase(found);
  }
  if (!entries.empty()) {
    throw std::runtime_error(std::string(kModelFile) + ": tensor " + entries.begin()->first +
                             " is unexpected: " + kConfigFile + " and the form of the checkpoint " +
                             "have no place for it");
  }
  model::ParameterArrays arrays;
  for (const TensorEntry* entry : wanted) {
    arrays[entry->name] = {entry->shape, read_tensor(file, header, *entry)};
  }
  return arrays;
}

void require_finite(const model::ParameterArrays& parameters) {
  for (const auto& [name, array] : parameters) {
    const auto bad = std::find_if_not(array.values.begin(), array.values.end(),
                                      [](float value) { return std::isfinite(value); });
    if (bad != array.values.end()) {
      throw std::runtime_error(std::string(kModelFile) + ": tensor " + name +
                               " has a value that is infinite or not a number: the training that "
                               "wrote it had diverged, use an earlier checkpoint");
    }
  }
}

void require_hash(const std::string& found, const std::string& expected, const char* what) {
  if (found == expected) return;
  throw std::runtime_error(std::string("the ") + what + " hash of the tensors is " +
                           (found.empty() ? "null" : found) + ", and " + kManifestFile + " says " +
                           (expected.empty() ? "null" : expected) +
                           ": the checkpoint is damaged or was written by another recipe");
}

}  // namespace

Checkpoint read_checkpoint(const VerifiedFolder& verified) {
  Checkpoint checkpoint;
  checkpoint.form = verified.manifest().form;
  checkpoint.hash = verified.hash();
  checkpoint.config = parse_config(verified.file(kConfigFile).read_all(kLargestConfig));
  const CheckpointConfig& config = checkpoint.config;
  checkpoint.parameters = stored_tensors(verified.file(kModelFile), config, checkpoint.form);
  require_finite(checkpoint.parameters);
  if (checkpoint.form == Form::compact) {
    for (const model::ParameterSpec& spec : model::parameter_specs(config.model)) {
      if (model::is_trained(spec, config.trained)) continue;
      checkpoint.parameters[spec.name] = model::initial_value(spec, config.seed);
    }
  }
  checkpoint.frozen = frozen_hash(config, checkpoint.parameters);
  checkpoint.core = core_hash(config, checkpoint.parameters);
  require_hash(checkpoint.frozen, verified.manifest().frozen, "frozen");
  require_hash(checkpoint.core, verified.manifest().core, "core");
  return checkpoint;
}

Checkpoint load_checkpoint(const std::filesystem::path& folder) {
  return read_verified(folder, read_checkpoint);
}

bool is_checkpoint(const std::filesystem::path& folder) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(folder / kManifestFile, ignored);
}

std::filesystem::path best_of_run(const std::filesystem::path& run) {
  return run / "checkpoints" / "best";
}

std::filesystem::path checkpoint_folder(const std::filesystem::path& folder) {
  const std::filesystem::path best = best_of_run(folder);
  return !is_checkpoint(folder) && is_checkpoint(best) ? best : folder;
}

bool holds_checkpoint(const std::filesystem::path& folder, const std::string& hash) {
  try {
    return sha256(ReadableFile(folder / kManifestFile)) == hash;
  } catch (const std::runtime_error&) {
    return false;
  }
}

}  // namespace mesita::checkpoint
