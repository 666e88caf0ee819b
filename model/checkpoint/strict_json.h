#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace mesita::checkpoint {

/// Parses a text that is one JSON object and nothing else. Stricter than the standard where readers
/// disagree: it begins with `{`, no key occurs twice in an object, nesting is at most 8 deep.
/// Throws std::runtime_error that begins with `name`, the file's name.
nlohmann::json parse_strict_json(std::string_view text, const std::string& name);

}  // namespace mesita::checkpoint
