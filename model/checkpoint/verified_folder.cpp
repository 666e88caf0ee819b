#include "model/checkpoint/verified_folder.h"

#include <algorithm>
#include <stdexcept>

#include "model/checkpoint/sha256.h"

namespace mesita::checkpoint {

namespace {

constexpr uint64_t kLargestManifest = uint64_t{1} << 20;

bool is_tokenizer_part(const std::string& name) {
  return name.starts_with(std::string(kTokenizerFolder) + "/");
}

void require_complete(const Manifest& manifest) {
  const auto& parts = manifest.parts;
  const bool has_tokenizer = std::any_of(
      parts.begin(), parts.end(), [](const auto& part) { return is_tokenizer_part(part.first); });
  if (!parts.contains(kConfigFile) || !parts.contains(kModelFile) || !has_tokenizer) {
    throw std::runtime_error(std::string(kManifestFile) + " does not list " + kConfigFile + ", " +
                             kModelFile + " and a file of " + kTokenizerFolder +
                             "/: save the checkpoint again");
  }
}

void require_listed(const FolderSnapshot& files, const Manifest& manifest) {
  for (const auto& [name, file] : files.files()) {
    if (name == kManifestFile || name == kReadmeFile || manifest.parts.contains(name)) continue;
    throw std::runtime_error(name + " is not part of this checkpoint (" + kManifestFile +
                             " does not list it): remove it");
  }
}

void require_intact(const ReadableFile& file, const Part& part) {
  if (file.size() != part.bytes) {
    throw std::runtime_error(file.name() + " has " + std::to_string(file.size()) + " bytes, and " +
                             kManifestFile + " says " + std::to_string(part.bytes) +
                             ": it is damaged or from another checkpoint, copy it again");
  }
  const std::string hash = sha256(file);
  if (hash != part.sha256) {
    throw std::runtime_error(file.name() + " has SHA-256 " + hash + ", and " + kManifestFile +
                             " says " + part.sha256 +
                             ": it is damaged or from another checkpoint, copy it again");
  }
}

}  // namespace

VerifiedFolder::VerifiedFolder(const std::filesystem::path& folder)
    : files_(folder, kTokenizerFolder) {
  if (!files_.has(kManifestFile)) {
    throw std::runtime_error(std::string(kManifestFile) +
                             " is missing: this is no checkpoint, or its copy is incomplete");
  }
  const std::string text = files_.file(kManifestFile).read_all(kLargestManifest);
  manifest_ = parse_manifest(text);
  hash_ = sha256(text);
  require_complete(manifest_);
  for (const auto& [name, part] : manifest_.parts) files_.file(name);
  require_listed(files_, manifest_);
  for (const auto& [name, part] : manifest_.parts) require_intact(files_.file(name), part);
}

}  // namespace mesita::checkpoint
