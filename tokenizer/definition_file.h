#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace mesita::tokenizer {

/// Names of the files that define a tokenizer in its folder, one for each kind.
inline constexpr std::string_view kSentencePieceFile = "tokenizer.model";
inline constexpr std::string_view kSymbolsFile = "symbols.json";
inline constexpr std::string_view kIdlessFile = "none.json";

/// Whole content of a defining file. Throws std::runtime_error when it is no regular file, is
/// empty, is larger than 64 MiB or cannot be read.
std::string read_definition(const std::filesystem::path& file);

/// Writes `content` as folder/name: into a temporary file first, then renamed over the old one.
/// Makes the folder. Throws std::runtime_error when the disk fails, or when the folder holds the
/// defining file of another kind.
void write_definition(const std::filesystem::path& folder, std::string_view name,
                      std::string_view content);

/// Throws std::runtime_error when write_definition(folder, name) would refuse: the path is a file,
/// or the folder holds the defining file of another kind.
void require_writable_definition(const std::filesystem::path& folder, std::string_view name);

/// SHA-256 in hexadecimal.
std::string definition_hash(std::string_view content);

/// The one defining file in a folder. Throws std::runtime_error when there is none or several.
std::filesystem::path find_definition(const std::filesystem::path& folder);

}  // namespace mesita::tokenizer
