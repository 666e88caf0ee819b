#pragma once

#include <cstdlib>
#include <filesystem>

namespace mesita::testing {

/// The folder of development data: $MESITA_DATA, or else beside the repository.
inline std::filesystem::path data_folder() {
  const char* chosen = std::getenv("MESITA_DATA");
  if (chosen != nullptr) return chosen;
  return std::filesystem::path(MESITA_SOURCE_DIR) / ".." / "shared" / "data";
}

}  // namespace mesita::testing

/// Skips the test when the development data lacks a file.
#define MESITA_NEEDS_DATA(file)                                          \
  if (!std::filesystem::exists(::mesita::testing::data_folder() / file)) \
  GTEST_SKIP() << "needs " << file << " of the data folder (set MESITA_DATA)"
