#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "model/checkpoint/training_state.h"
#include "model/config.h"
#include "model/parameters.h"

namespace mesita::checkpoint {

/// How trained tensors are stored. bf16 values are what the model then computes with.
enum class StorageType { float32, bfloat16 };

/// Full checkpoints hold all tensors, compact ones only the trained: frozen tensors are drawn again
/// from the seed and verified by their hash.
enum class Form { full, compact };

/// What config.json says: everything about a model but its values.
struct CheckpointConfig {
  model::ModelConfig model;
  std::optional<int32_t> document_start;  // id put before every document and string prompt
  std::optional<int32_t> end;             // id that ends a document
  std::vector<model::ParameterRole> trained;
  uint64_t seed = 0;   // of all initial values
  int64_t recipe = 1;  // model::kInitializationRecipe
  StorageType storage = StorageType::float32;
  std::string trained_on;  // a sentence about the training data, may be empty
};

/// A checkpoint in memory, verified.
struct Checkpoint {
  CheckpointConfig config;
  model::ParameterArrays parameters;  // all of them, frozen ones included, as float32
  std::string frozen;                 // hash over the frozen tensors, "" when nothing is frozen
  std::string core;                   // hash over a wholly frozen interior, else ""
  std::string hash;                   // SHA-256 of manifest.json: identifies the checkpoint
  Form form = Form::full;             // as stored
};

/// Reads and verifies a checkpoint folder (README.md has the format). A folder that is replaced
/// meanwhile is read as the old or the new one. Throws std::runtime_error whose message names the
/// folder, the file, what was found and what to do: missing part, wrong size or hash, file that the
/// manifest does not list, newer format version, unknown key, tensor missing, unexpected, of wrong
/// shape or type or not finite, frozen hash that differs from the stored or regenerated tensors.
Checkpoint load_checkpoint(const std::filesystem::path& folder);

/// A checkpoint and what resumes its training, both as they were at one moment.
struct ResumableCheckpoint {
  Checkpoint checkpoint;
  TrainingState training_state;
};

/// As load_checkpoint. Throws std::runtime_error also when the checkpoint was not saved for
/// resuming.
ResumableCheckpoint load_resumable(const std::filesystem::path& folder);

/// Writes a checkpoint folder atomically and durably: a temporary sibling folder is filled, every
/// file synced, the manifest written last, and the folder exchanged with the old one, whose
/// README.md is kept. `tokenizer` is a folder whose files are copied to tokenizer/ (at least one).
/// `parameters` must hold every tensor of config.model and nothing else, all finite, also after
/// rounding to config.storage. Form::compact stores only trained tensors, and needs frozen ones to
/// be the seed's own values; with nothing frozen it is the full form. `training_state` is what is
/// needed to resume training; without it an older one goes with the old folder. Throws
/// std::invalid_argument for the caller's mistakes, among them a folder that exists and holds
/// anything but a checkpoint, and std::runtime_error when the disk fails; the old folder is then
/// still whole, in its place or beside it under the hidden name that the message gives.
void save_checkpoint(const std::filesystem::path& folder, const CheckpointConfig& config,
                     const model::ParameterArrays& parameters,
                     const std::filesystem::path& tokenizer, Form form,
                     const std::optional<TrainingState>& training_state = {});

/// Hash over all frozen tensors (names, shapes, float32 bits, in parameter_specs order); "" when
/// every role is trained.
std::string frozen_hash(const CheckpointConfig& config, const model::ParameterArrays& parameters);

/// Hash over the interior's canonical configuration and tensors; "" unless the interior is wholly
/// frozen. Models with equal cores compute the same function between embedding and unembedding.
std::string core_hash(const CheckpointConfig& config, const model::ParameterArrays& parameters);

/// True when the folder holds a manifest.json, that is, looks like a checkpoint.
bool is_checkpoint(const std::filesystem::path& folder);

/// The best checkpoint of a run folder, whether or not there is one.
std::filesystem::path best_of_run(const std::filesystem::path& run);

/// The checkpoint that a folder argument means: of a run that is no checkpoint itself its best,
/// else the folder, which may be no checkpoint either.
std::filesystem::path checkpoint_folder(const std::filesystem::path& folder);

/// True when the folder's manifest.json is that of the checkpoint with this hash: what was read
/// from the folder by name since load_checkpoint belongs to what that returned.
bool holds_checkpoint(const std::filesystem::path& folder, const std::string& hash);

}  // namespace mesita::checkpoint
