#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace mesita::corpus {

/// A file's bytes as they lie on the disk, from the first to the last; also of pipes and devices,
/// nothing is sought.
class FileBytes {
 public:
  /// Throws std::runtime_error when the file cannot be opened, is a folder, or is a link into
  /// git-annex whose content was not fetched.
  explicit FileBytes(const std::filesystem::path& file);

  /// The first bytes, at most eight; less when the file is shorter.
  std::string_view head() const { return head_; }
  /// Gives `most` bytes, less only at the end of the file. Throws std::runtime_error when the disk
  /// refuses.
  size_t read(char* to, size_t most);
  uint64_t bytes_read() const { return bytes_read_; }
  const std::filesystem::path& file() const { return file_; }

 private:
  size_t read_stream(char* to, size_t most);

  std::filesystem::path file_;
  std::ifstream stream_;
  std::string head_;
  size_t head_used_ = 0;
  uint64_t bytes_read_ = 0;  // given by read()
};

}  // namespace mesita::corpus
