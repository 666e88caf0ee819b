#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace mesita::evaluation {

/// A text and where it comes from, for messages ("stories.txt:31").
struct SourceText {
  std::string text;
  std::string origin;
};

/// The documents of files, in order, at most `limit` of all together (nothing: all). Throws what
/// corpus::open_documents and its readers throw, and std::runtime_error when the files hold no
/// text.
std::vector<SourceText> read_source_texts(const std::vector<std::filesystem::path>& files,
                                          std::optional<int64_t> limit = {});

}  // namespace mesita::evaluation
