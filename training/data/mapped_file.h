#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace mesita::training {

/// A regular file's content, mapped into memory: only what is read is loaded. The file must not be
/// cut while this lives.
class MappedFile {
 public:
  /// Throws std::runtime_error with file and reason.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::filesystem::path path_;
  std::span<const std::byte> bytes_;
};

}  // namespace mesita::training
