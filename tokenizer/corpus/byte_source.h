#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "tokenizer/corpus/file_bytes.h"

namespace mesita::corpus {

/// The bytes of a file, unpacked. Constant memory.
class ByteSource {
 public:
  explicit ByteSource(FileBytes file) : file_(std::move(file)) {}
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// Gives at least one byte, at most `most` (over 0); 0 at the end. An archive that is truncated
  /// or damaged gives what came out before, then ends with damage(). Throws std::runtime_error
  /// when the disk refuses.
  size_t read(char* to, size_t most);
  /// The next `most` bytes without taking them; less only in front of the end. Before the first
  /// read() only.
  std::string_view peek(size_t most);

  /// After the end: why and where the archive ended early ("byte 90 of the file: ..."); "" when it
  /// is whole.
  const std::string& damage() const { return damage_; }
  const std::filesystem::path& file() const { return file_.file(); }
  /// Bytes of the file as it lies on the disk.
  uint64_t bytes_read() const { return file_.bytes_read(); }

 protected:
  /// As read(). After damage it is not called again.
  virtual size_t fill(char* to, size_t most) = 0;
  void set_damage(uint64_t byte, const std::string& reason);
  FileBytes& packed() { return file_; }

 private:
  FileBytes file_;
  std::string peeked_;
  size_t peeked_used_ = 0;
  std::string damage_;
};

/// Opens a file with the source that its first bytes ask for: zstd, gzip, else as it is. A file
/// that is named .zst or .gz and ends inside of these first bytes is a truncated archive. Throws
/// what FileBytes throws.
std::unique_ptr<ByteSource> open_bytes(const std::filesystem::path& file);

}  // namespace mesita::corpus
