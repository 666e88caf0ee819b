#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mesita::training {

/// How ids lie in a file; little-endian.
enum class TokenType { uint8, int8, uint16, int16, uint32, int32, int64 };

size_t bytes_of(TokenType type);
/// The narrowest of uint16 and uint32 that holds all ids of a vocabulary.
TokenType type_for(int64_t vocabulary);

/// Ids that lie in mapped bytes, which must outlive this.
class TokenArray {
 public:
  TokenArray() = default;
  /// What is left of the last whole id is ignored.
  TokenArray(std::span<const std::byte> bytes, TokenType type);

  int64_t size() const { return size_; }
  /// The id at `index`; -1 for one that no int32 holds, or a negative one.
  int32_t operator[](int64_t index) const;
  /// Replaces `ids` by those at begin .. end-1. Throws std::out_of_range outside the array.
  void read(int64_t begin, int64_t end, std::vector<int32_t>& ids) const;
  /// Index of the first id outside 0 .. vocabulary-1; size() when there is none.
  int64_t first_outside(int64_t vocabulary) const;

 private:
  std::span<const std::byte> bytes_;
  TokenType type_ = TokenType::uint16;
  int64_t size_ = 0;
};

/// Appends ids as uint16 or uint32. Each must fit.
void append_ids(std::span<const int32_t> ids, TokenType type, std::vector<std::byte>& bytes);

}  // namespace mesita::training
