#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace mesita::testing {

/// The whole content of a file.
inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Creates a file or gives it another content. An existing file is overwritten, not emptied first:
/// ext4 writes a file to the disk when it was emptied and filled again, which takes tests that do
/// it thousands of times minutes.
inline void write_file(const std::filesystem::path& path, const std::string& content) {
  if (!std::filesystem::exists(path)) std::ofstream(path, std::ios::binary).flush();
  std::fstream(path, std::ios::binary | std::ios::in | std::ios::out) << content;
  std::filesystem::resize_file(path, content.size());
}

}  // namespace mesita::testing
