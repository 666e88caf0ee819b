#include "training/event_file.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace mesita::training {
namespace {

constexpr std::array<uint32_t, 256> castagnoli_table() {
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit)
      remainder = (remainder >> 1) ^ ((remainder & 1) != 0 ? 0x82F63B78u : 0u);
    table[byte] = remainder;
  }
  return table;
}

template <typename Number>
std::string little_endian(Number number) {
  std::string bytes(sizeof number, '\0');
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

// A checksum that is stored beside what it covers is masked, as TFRecord says.
std::string masked_crc(std::string_view bytes) {
  const uint32_t crc = crc32c(bytes);
  return little_endian(((crc >> 15) | (crc << 17)) + 0xA282EAD8u);
}

// Protocol buffers: a field is its key (number and wire type) and value.
std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>((value & 0x7F) | 0x80);
  return bytes + static_cast<char>(value);
}
std::string field(uint32_t number, std::string_view bytes) {
  return varint(number << 3 | 2) + varint(bytes.size()) + std::string(bytes);
}
std::string field(uint32_t number, int64_t value) {
  return varint(number << 3) + varint(static_cast<uint64_t>(value));
}
std::string field(uint32_t number, double value) {
  return varint(number << 3 | 1) + little_endian(value);
}
std::string field(uint32_t number, float value) {
  return varint(number << 3 | 5) + little_endian(value);
}

// Event: wall_time = 1, step = 2, file_version = 3, summary = 5; Summary: value = 1;
// Summary.Value: tag = 1, simple_value = 2.
std::string summary_of(const Scalars& scalars) {
  std::string summary;
  for (const auto& [tag, value] : scalars)
    summary += field(1, field(1, std::string_view(tag)) + field(2, static_cast<float>(value)));
  return summary;
}

}  // namespace

uint32_t crc32c(std::string_view bytes) {
  static constexpr auto kTable = castagnoli_table();
  uint32_t crc = 0xFFFFFFFFu;
  for (const char byte : bytes)
    crc = (crc >> 8) ^ kTable[(crc ^ static_cast<uint8_t>(byte)) & 0xFF];
  return ~crc;
}

EventFile::EventFile(const std::filesystem::path& file, double wall_time)
    : path_(file), file_(file, std::ios::binary | std::ios::trunc) {
  if (!file_)
    throw std::runtime_error("cannot write " + file.string() + ": " + std::strerror(errno));
  write_record(field(1, wall_time) + field(3, std::string_view("brain.Event:2")));
}

void EventFile::write(int64_t step, double wall_time, const Scalars& scalars) {
  if (scalars.empty()) return;
  write_record(field(1, wall_time) + field(2, step) + field(5, summary_of(scalars)));
}

void EventFile::write_record(std::string_view event) {
  const std::string length = little_endian(static_cast<uint64_t>(event.size()));
  file_ << length << masked_crc(length) << event << masked_crc(event) << std::flush;
  if (!file_) throw std::runtime_error("cannot write " + path_.string() + ": is the disk full?");
}

}  // namespace mesita::training
