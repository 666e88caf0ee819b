#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

#include "model/checkpoint/file_descriptor.h"
#include "model/checkpoint/manifest.h"
#include "model/checkpoint/sha256.h"

namespace mesita::checkpoint {

/// A new file that is on the disk when finish() returns. Counts and hashes what is written.
class OutputFile {
 public:
  /// Throws std::runtime_error when the file exists already or cannot be created.
  explicit OutputFile(const std::filesystem::path& path);

  /// Throws std::runtime_error when the disk fails or is full.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  /// Makes the content durable (fsync) and closes the file. Last call.
  Part finish();

 private:
  std::filesystem::path path_;
  FileDescriptor file_;
  Sha256 hash_;
  uint64_t bytes_ = 0;
};

/// fsync of an existing file or folder. Throws std::runtime_error when the disk fails.
void make_durable(const std::filesystem::path& path);

}  // namespace mesita::checkpoint
