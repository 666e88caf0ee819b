#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace mesita::http {

/// Arrays and objects that a request body may nest.
inline constexpr int kMaxDepth = 64;
/// Arrays and objects that a request body may hold: a tree of empty ones costs many times its text.
inline constexpr int kMaxContainers = 100'000;

/// Parses a request body, which must be one JSON object in valid UTF-8 without byte order mark,
/// without duplicate keys, and within the two limits. Throws ApiError 400 that says what is wrong.
nlohmann::json parse_body(std::string_view body);

}  // namespace mesita::http
