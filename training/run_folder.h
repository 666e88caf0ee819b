#pragma once

#include <filesystem>
#include <string>

namespace mesita::training {

/// The paths of a run folder: config.json, metrics.jsonl, events.*, tokenizer/,
/// checkpoints/{last,best}.
struct RunFolder {
  std::filesystem::path root;

  std::filesystem::path config() const { return root / "config.json"; }
  std::filesystem::path metrics() const { return root / "metrics.jsonl"; }
  std::filesystem::path events() const { return root / "events.out.tfevents.mesita"; }
  std::filesystem::path tokenizer() const { return root / "tokenizer"; }
  std::filesystem::path last() const { return root / "checkpoints" / "last"; }
  std::filesystem::path best() const { return root / "checkpoints" / "best"; }
};

/// Throws std::runtime_error when `root` exists and is not an empty folder; says what to do.
void require_free(const std::filesystem::path& root);

/// Makes the folder, which must be free, and writes config.json. Throws std::runtime_error when the
/// disk refuses.
RunFolder make_run_folder(const std::filesystem::path& root, const std::string& config_json);

/// The first of parent/name-1, parent/name-2, ... that does not exist.
std::filesystem::path free_run_folder(const std::filesystem::path& parent, const std::string& name);

}  // namespace mesita::training
