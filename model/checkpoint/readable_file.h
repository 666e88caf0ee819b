#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "model/checkpoint/file_descriptor.h"

namespace mesita::checkpoint {

/// An open regular file, read by position. What was opened stays readable when its name is removed
/// or given to another file.
class ReadableFile {
 public:
  /// Opens a file. Throws std::runtime_error when it is missing, unreadable, or not a regular file.
  explicit ReadableFile(const std::filesystem::path& path);
  /// Takes an open descriptor; `name` is for messages.
  ReadableFile(FileDescriptor file, std::string name);

  const std::string& name() const { return name_; }
  /// Size in bytes when it was opened.
  uint64_t size() const { return size_; }

  /// Fills `bytes` from `offset` on. Throws std::runtime_error when the file ends before.
  void read(uint64_t offset, std::span<std::byte> bytes) const;
  /// The whole content. Throws std::runtime_error when it has more than `most` bytes.
  std::string read_all(uint64_t most) const;

 private:
  FileDescriptor file_;
  std::string name_;
  uint64_t size_ = 0;
};

}  // namespace mesita::checkpoint
