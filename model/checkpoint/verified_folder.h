#pragma once

#include <filesystem>
#include <string>

#include "model/checkpoint/folder_snapshot.h"
#include "model/checkpoint/manifest.h"

namespace mesita::checkpoint {

/// An open checkpoint folder whose files are those of its manifest, byte for byte.
class VerifiedFolder {
 public:
  /// Throws std::runtime_error: not a checkpoint, a part that is missing, of another size or hash,
  /// or a file that the manifest does not list (README.md and hidden files aside).
  explicit VerifiedFolder(const std::filesystem::path& folder);

  const Manifest& manifest() const { return manifest_; }
  /// SHA-256 of manifest.json.
  const std::string& hash() const { return hash_; }
  bool has(const std::string& name) const { return files_.has(name); }
  const ReadableFile& file(const std::string& name) const { return files_.file(name); }

 private:
  FolderSnapshot files_;
  Manifest manifest_;
  std::string hash_;
};

}  // namespace mesita::checkpoint
