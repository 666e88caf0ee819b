#include "tokenizer/wire_format.h"

#include <stdexcept>
#include <string>

namespace mesita::tokenizer {

bool WireReader::next(WireField& field) {
  if (position_ == message_.size()) return false;
  const size_t begin = position_;
  const uint64_t key = read_varint();
  const uint64_t number = key >> 3;
  const uint64_t type = key & 7;
  if (number == 0 || number > 0x1FFFFFFF || (type != 0 && type != 1 && type != 2 && type != 5)) {
    throw std::runtime_error("not a protocol buffer (at byte " + std::to_string(begin) +
                             " of a message)");
  }
  field = WireField{};
  field.number = static_cast<uint32_t>(number);
  field.type = static_cast<WireField::Type>(type);
  switch (field.type) {
    case WireField::Type::varint:
      field.value = read_varint();
      break;
    case WireField::Type::fixed64:
      field.value = read_fixed(8);
      break;
    case WireField::Type::fixed32:
      field.value = read_fixed(4);
      break;
    case WireField::Type::bytes: {
      const uint64_t length = read_varint();
      if (length > message_.size() - position_) {
        throw std::runtime_error("truncated, or not a protocol buffer: a field of " +
                                 std::to_string(length) + " bytes where " +
                                 std::to_string(message_.size() - position_) + " are left");
      }
      field.bytes = message_.substr(position_, length);
      position_ += length;
      break;
    }
  }
  return true;
}

uint64_t WireReader::read_varint() {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (position_ == message_.size()) throw std::runtime_error("truncated inside a number");
    const auto byte = static_cast<uint8_t>(message_[position_++]);
    value |= static_cast<uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
  throw std::runtime_error("not a protocol buffer: a number of more than ten bytes");
}

uint64_t WireReader::read_fixed(size_t bytes) {
  if (bytes > message_.size() - position_) throw std::runtime_error("truncated inside a number");
  uint64_t value = 0;
  for (size_t i = 0; i < bytes; ++i) {
    value |= static_cast<uint64_t>(static_cast<uint8_t>(message_[position_++])) << (8 * i);
  }
  return value;
}

}  // namespace mesita::tokenizer
