#pragma once

#include <filesystem>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string_view>

namespace mesita::tokenizer {

/// Reads a JSON defining file of format 1: an object with "format" and no keys but `keys`. Throws
/// std::runtime_error with file and reason: not JSON, a newer format, an unknown key.
nlohmann::json read_json_definition(const std::filesystem::path& file,
                                    std::initializer_list<std::string_view> keys);

}  // namespace mesita::tokenizer
