#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mesita::http {

/// The path of a request target in origin form ("/a/b?query"): without the query, percent-decoded.
/// Nothing when the target does not begin with a slash, when an escape is malformed, or when the
/// result holds control characters or is not valid UTF-8.
std::optional<std::string> path_of_target(std::string_view target);

/// Host part of a Host header or of an origin without scheme: "name:80" -> "name", "[::1]:80" ->
/// "::1". Nothing when malformed.
std::optional<std::string> host_name(std::string_view authority);

}  // namespace mesita::http
