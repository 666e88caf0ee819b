#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/evaluation/model_handle.h"

namespace mesita::http {

/// A checkpoint folder that was found: loaded, or failed with a reason.
struct ModelEntry {
  std::string id;
  std::filesystem::path folder;
  int64_t created = 0;  // seconds since 1970: when the checkpoint was written
  std::shared_ptr<const evaluation::ModelHandle> handle;  // null when it failed
  std::string reason;                                     // why it failed
  size_t engine = 0;                                      // its number among the loaded ones
  std::vector<std::pair<std::string, int32_t>> specials;  // names of special tokens

  bool loaded() const { return handle != nullptr; }
  const evaluation::ModelHandle& model() const { return *handle; }
};

/// The models of a folder. Immutable after loading.
class ModelRegistry {
 public:
  /// Finds checkpoint folders below `folder`: id = path relative to it; a run folder counts as its
  /// checkpoints/best and has the run's path; `folder` may itself be one, then the id is its name.
  /// Loads each; what cannot be loaded is logged and kept with its reason. `default_id` empty: the
  /// first id in order with a sentencepiece tokenizer, else the first loaded. Throws
  /// std::runtime_error when the folder is missing, holds nothing that loads, or `default_id` is
  /// not among what loaded.
  static ModelRegistry load(const std::filesystem::path& folder, const std::string& default_id);

  /// In order of id.
  const std::vector<ModelEntry>& entries() const { return entries_; }
  /// Null when there is none of that id.
  const ModelEntry* find(std::string_view id) const;
  const ModelEntry& default_model() const { return entries_[default_]; }

 private:
  std::vector<ModelEntry> entries_;
  size_t default_ = 0;
};

}  // namespace mesita::http
