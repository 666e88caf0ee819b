#pragma once

#include <cstdint>
#include <string_view>

namespace mesita::tokenizer {

/// One field of a serialised protocol buffer.
struct WireField {
  uint32_t number = 0;
  enum class Type { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 } type = Type::varint;
  uint64_t value = 0;      // of varint and fixed fields
  std::string_view bytes;  // of bytes fields; points into the message
};

/// Walks over the fields of a message in their order. SentencePiece's packages bring no protocol
/// buffer headers; its model files need no more than this.
class WireReader {
 public:
  /// `message` must outlive the reader.
  explicit WireReader(std::string_view message) : message_(message) {}

  /// Reads the next field; false at the end. Throws std::runtime_error when the bytes are no
  /// protocol buffer or end inside a field.
  bool next(WireField& field);

 private:
  uint64_t read_varint();
  uint64_t read_fixed(size_t bytes);

  std::string_view message_;
  size_t position_ = 0;
};

}  // namespace mesita::tokenizer
