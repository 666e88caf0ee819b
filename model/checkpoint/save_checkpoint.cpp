// save_checkpoint of checkpoint.h.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/checkpoint/bfloat16.h"
#include "model/checkpoint/checkpoint.h"
#include "model/checkpoint/config_json.h"
#include "model/checkpoint/durable_folder.h"
#include "model/checkpoint/output_file.h"
#include "model/checkpoint/safetensors.h"
#include "model/checkpoint/verified_folder.h"
#include "model/initialization.h"

namespace mesita::checkpoint {

namespace fs = std::filesystem;

namespace {

// Others' tools look for this entry.
const std::map<std::string, std::string> kModelMetadata = {{"format", "pt"}};

TensorType stored_type(const CheckpointConfig& config, const model::ParameterSpec& spec) {
  const bool rounded =
      config.storage == StorageType::bfloat16 && model::is_trained(spec, config.trained);
  return rounded ? TensorType::bfloat16 : TensorType::float32;
}

void require_storable(const model::ParameterSpec& spec, const model::ParameterArray& array,
                      TensorType type) {
  if (array.shape != spec.shape || array.values.size() != static_cast<size_t>(spec.size())) {
    throw std::invalid_argument("parameter " + spec.name + " has another shape than the model's");
  }
  const bool finite = std::all_of(array.values.begin(), array.values.end(), [type](float value) {
    return std::isfinite(type == TensorType::float32 ? value : from_bfloat16(to_bfloat16(value)));
  });
  if (!finite) {
    throw std::invalid_argument("parameter " + spec.name +
                                " has a value that is infinite or not a number in the storage " +
                                "type: the training diverged, it is not saved");
  }
}

void require_parameters(const CheckpointConfig& config, const model::ParameterArrays& parameters,
                        const std::vector<model::ParameterSpec>& specs) {
  for (const model::ParameterSpec& spec : specs) {
    const auto found = parameters.find(spec.name);
    if (found == parameters.end()) {
      throw std::invalid_argument("parameter " + spec.name +
                                  " is missing: give all of the model's");
    }
    require_storable(spec, found->second, stored_type(config, spec));
  }
  if (parameters.size() == specs.size()) return;
  for (const auto& [name, array] : parameters) {
    const bool known = std::any_of(specs.begin(), specs.end(),
                                   [&name = name](const auto& spec) { return spec.name == name; });
    if (!known) throw std::invalid_argument("parameter " + name + " is none of the model's");
  }
}

void require_from_seed(const CheckpointConfig& config, const model::ParameterSpec& spec,
                       const model::ParameterArray& array) {
  const model::ParameterArray drawn = model::initial_value(spec, config.seed);
  if (std::memcmp(drawn.values.data(), array.values.data(), 4 * drawn.values.size()) != 0) {
    throw std::invalid_argument("frozen parameter " + spec.name + " is not what seed " +
                                std::to_string(config.seed) +
                                " gives: a compact checkpoint could not restore it, save it full");
  }
}

// Replacing a folder deletes what it holds: only a checkpoint's own files may go that way.
void require_replaceable(const fs::path& folder) {
  if (!fs::exists(folder) || fs::is_empty(folder)) return;
  const auto refuse = [&](const std::string& reason) {
    throw std::invalid_argument(folder.string() + " exists and " + reason +
                                ": choose another folder, or empty this one");
  };
  if (!is_checkpoint(folder)) refuse("is not a checkpoint");
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().lexically_relative(folder).generic_string();
    const bool known = entry.is_directory() && !entry.is_symlink()
                           ? name == kTokenizerFolder
                           : name == kManifestFile || name == kReadmeFile || is_part_name(name);
    if (!known) refuse("holds " + name + ", which no checkpoint has");
  }
}

Part copy_file(const ReadableFile& source, const fs::path& destination) {
  constexpr uint64_t kCopiedBytes = uint64_t{1} << 20;
  OutputFile output(destination);
  std::vector<std::byte> piece;
  for (uint64_t offset = 0; offset < source.size(); offset += piece.size()) {
    piece.resize(static_cast<size_t>(std::min(kCopiedBytes, source.size() - offset)));
    source.read(offset, piece);
    output.write(piece);
  }
  return output.finish();
}

Part write_text(const fs::path& path, const std::string& text) {
  OutputFile output(path);
  output.write(text);
  return output.finish();
}

Part write_tensors(const fs::path& path, const std::vector<TensorToWrite>& tensors,
                   const std::map<std::string, std::string>& metadata) {
  OutputFile output(path);
  write_safetensors(output, tensors, metadata);
  return output.finish();
}

FolderSnapshot tokenizer_files(const fs::path& folder) {
  try {
    FolderSnapshot files(folder, "");
    for (const auto& [name, file] : files.files()) {
      if (!is_part_name(std::string(kTokenizerFolder) + "/" + name)) {
        throw std::runtime_error(name + " has a name that a checkpoint cannot hold: rename it");
      }
    }
    if (files.files().empty()) throw std::runtime_error("it has no files");
    return files;
  } catch (const std::runtime_error& error) {
    throw std::runtime_error("tokenizer folder " + folder.string() + ": " + error.what());
  }
}

std::vector<TensorToWrite> model_tensors(const CheckpointConfig& config,
                                         const model::ParameterArrays& parameters,
                                         const std::vector<model::ParameterSpec>& specs,
                                         Form form) {
  std::vector<TensorToWrite> tensors;
  for (const model::ParameterSpec& spec : specs) {
    const model::ParameterArray& array = parameters.at(spec.name);
    if (form == Form::compact && !model::is_trained(spec, config.trained)) {
      require_from_seed(config, spec, array);
      continue;
    }
    tensors.push_back({spec.name, stored_type(config, spec), spec.shape, array.values});
  }
  return tensors;
}

std::vector<TensorToWrite> state_tensors(const TrainingState& state) {
  std::vector<TensorToWrite> tensors;
  for (const auto& [name, array] : state.tensors) {
    tensors.push_back({name, TensorType::float32, array.shape, array.values});
  }
  return tensors;
}

}  // namespace

void save_checkpoint(const fs::path& folder, const CheckpointConfig& config,
                     const model::ParameterArrays& parameters, const fs::path& tokenizer, Form form,
                     const std::optional<TrainingState>& training_state) {
  const std::string config_file = config_text(config);
  const std::vector<model::ParameterSpec> specs = model::parameter_specs(config.model);
  require_parameters(config, parameters, specs);
  Manifest manifest;
  manifest.frozen = frozen_hash(config, parameters);
  manifest.core = core_hash(config, parameters);
  manifest.form = manifest.frozen.empty() ? Form::full : form;
  const std::vector<TensorToWrite> tensors =
      model_tensors(config, parameters, specs, manifest.form);
  const FolderSnapshot tokenizer_snapshot = tokenizer_files(tokenizer);

  DurableFolder output(folder);
  require_replaceable(output.target());
  manifest.parts[kConfigFile] = write_text(output.path() / kConfigFile, config_file);
  manifest.parts[kModelFile] = write_tensors(output.path() / kModelFile, tensors, kModelMetadata);
  if (training_state) {
    manifest.parts[kTrainingStateFile] = write_tensors(
        output.path() / kTrainingStateFile, state_tensors(*training_state), training_state->notes);
  }
  fs::create_directory(output.path() / kTokenizerFolder);
  for (const auto& [name, file] : tokenizer_snapshot.files()) {
    manifest.parts[std::string(kTokenizerFolder) + "/" + name] =
        copy_file(file, output.path() / kTokenizerFolder / name);
  }
  if (fs::exists(output.target() / kReadmeFile)) {
    copy_file(ReadableFile(output.target() / kReadmeFile), output.path() / kReadmeFile);
  }
  write_text(output.path() / kManifestFile, manifest_text(manifest));
  output.commit();
}

}  // namespace mesita::checkpoint
