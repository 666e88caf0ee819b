#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "model/checkpoint/checkpoint.h"

namespace mesita::checkpoint {

/// What a checkpoint folder may hold.
inline constexpr const char* kConfigFile = "config.json";
inline constexpr const char* kModelFile = "model.safetensors";
inline constexpr const char* kManifestFile = "manifest.json";
inline constexpr const char* kTrainingStateFile = "training_state.safetensors";
inline constexpr const char* kReadmeFile = "README.md";
inline constexpr const char* kTokenizerFolder = "tokenizer";

/// Size and hash of one file.
struct Part {
  uint64_t bytes = 0;
  std::string sha256;
  bool operator==(const Part&) const = default;
};

/// What manifest.json says: the parts of a checkpoint and the hashes of its frozen tensors.
struct Manifest {
  Form form = Form::full;
  std::map<std::string, Part> parts;  // by path inside the folder, '/' between folder and file
  std::string frozen;                 // "" when nothing is frozen
  std::string core;                   // "" unless the interior is wholly frozen

  bool operator==(const Manifest&) const = default;
};

/// The one text that stands for a manifest: equal manifests have equal texts.
std::string manifest_text(const Manifest& manifest);

/// Throws std::runtime_error when the text is not exactly what manifest_text writes, or of a newer
/// format.
Manifest parse_manifest(std::string_view text);

/// True for a path that a checkpoint may have: config.json, model.safetensors,
/// training_state.safetensors, or tokenizer/ and a name of letters, digits, '.', '_', '-' that does
/// not begin with a dot.
bool is_part_name(std::string_view name);

}  // namespace mesita::checkpoint
