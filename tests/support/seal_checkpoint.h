#pragma once

#include <filesystem>

#include "model/checkpoint/manifest.h"
#include "model/checkpoint/sha256.h"
#include "tests/support/files.h"

namespace mesita::testing {

/// Writes a manifest that agrees with the files of a checkpoint as they are now, so that a test can
/// reach the checks behind sizes and hashes. `frozen` and `core` stay.
inline void seal_checkpoint(const std::filesystem::path& folder) {
  checkpoint::Manifest manifest = checkpoint::parse_manifest(read_file(folder / "manifest.json"));
  manifest.parts.clear();
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().lexically_relative(folder).generic_string();
    if (!entry.is_regular_file() || !checkpoint::is_part_name(name)) continue;
    const std::string content = read_file(entry.path());
    manifest.parts[name] = {content.size(), checkpoint::sha256(content)};
  }
  write_file(folder / "manifest.json", checkpoint::manifest_text(manifest));
}

}  // namespace mesita::testing
