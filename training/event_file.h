#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mesita::training {

/// Numbers of one step, by tag ("train/loss").
using Scalars = std::vector<std::pair<std::string, double>>;

/// A new event file for TensorBoard: records of TensorFlow's Event protocol buffer, each framed by
/// its length and masked CRC-32C (TFRecord). Flushed after every record.
class EventFile {
 public:
  /// Replaces what the file held. `wall_time`: Unix seconds. Throws std::runtime_error when the
  /// disk refuses.
  EventFile(const std::filesystem::path& file, double wall_time);

  /// One event with all scalars; nothing without any.
  void write(int64_t step, double wall_time, const Scalars& scalars);

 private:
  void write_record(std::string_view event);

  std::filesystem::path path_;
  std::ofstream file_;
};

/// CRC-32C (Castagnoli; RFC 3720, appendix B.4).
uint32_t crc32c(std::string_view bytes);

}  // namespace mesita::training
