#include "training/data/token_array.h"

#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>

namespace mesita::training {
namespace {

template <typename Value>
int32_t load(const std::byte* from) {
  Value value;
  std::memcpy(&value, from, sizeof value);
  const bool fits = std::cmp_greater_equal(value, 0) &&
                    std::cmp_less_equal(value, std::numeric_limits<int32_t>::max());
  return fits ? static_cast<int32_t>(value) : -1;
}

/// Calls `work` with the function that loads one id.
template <typename Work>
auto with_loader(TokenType type, Work work) {
  switch (type) {
    case TokenType::uint8:
      return work(load<uint8_t>);
    case TokenType::int8:
      return work(load<int8_t>);
    case TokenType::uint16:
      return work(load<uint16_t>);
    case TokenType::int16:
      return work(load<int16_t>);
    case TokenType::uint32:
      return work(load<uint32_t>);
    case TokenType::int32:
      return work(load<int32_t>);
    case TokenType::int64:
      return work(load<int64_t>);
  }
  throw std::invalid_argument("unknown token type");
}

}  // namespace

size_t bytes_of(TokenType type) {
  switch (type) {
    case TokenType::uint8:
    case TokenType::int8:
      return 1;
    case TokenType::uint16:
    case TokenType::int16:
      return 2;
    case TokenType::uint32:
    case TokenType::int32:
      return 4;
    case TokenType::int64:
      return 8;
  }
  throw std::invalid_argument("unknown token type");
}

TokenType type_for(int64_t vocabulary) {
  return vocabulary <= int64_t{1} << 16 ? TokenType::uint16 : TokenType::uint32;
}

TokenArray::TokenArray(std::span<const std::byte> bytes, TokenType type)
    : bytes_(bytes), type_(type), size_(static_cast<int64_t>(bytes.size() / bytes_of(type))) {}

int32_t TokenArray::operator[](int64_t index) const {
  const size_t width = bytes_of(type_);
  return with_loader(type_, [&](auto loader) {
    return loader(bytes_.data() + static_cast<size_t>(index) * width);
  });
}

void TokenArray::read(int64_t begin, int64_t end, std::vector<int32_t>& ids) const {
  if (begin < 0 || begin > end || end > size_) {
    throw std::out_of_range("ids " + std::to_string(begin) + " to " + std::to_string(end) + " of " +
                            std::to_string(size_));
  }
  ids.resize(static_cast<size_t>(end - begin));
  const size_t width = bytes_of(type_);
  with_loader(type_, [&](auto loader) {
    const std::byte* from = bytes_.data() + static_cast<size_t>(begin) * width;
    for (size_t i = 0; i < ids.size(); ++i) ids[i] = loader(from + i * width);
  });
}

int64_t TokenArray::first_outside(int64_t vocabulary) const {
  const size_t width = bytes_of(type_);
  return with_loader(type_, [&](auto loader) {
    for (int64_t i = 0; i < size_; ++i) {
      const int32_t id = loader(bytes_.data() + static_cast<size_t>(i) * width);
      if (id < 0 || id >= vocabulary) return i;
    }
    return size_;
  });
}

void append_ids(std::span<const int32_t> ids, TokenType type, std::vector<std::byte>& bytes) {
  const size_t width = bytes_of(type), before = bytes.size();
  bytes.resize(before + ids.size() * width);
  // Little-endian machines only: the low bytes come first.
  for (size_t i = 0; i < ids.size(); ++i)
    std::memcpy(bytes.data() + before + i * width, &ids[i], width);
}

}  // namespace mesita::training
