#pragma once

#include <string>
#include <string_view>

#include "server/http/api_error.h"

namespace mesita::http {

/// Server-sent events as OpenAI's clients read them. One event: `data: {...}` and an empty line.
std::string event(const Json& value);

/// The event that ends a successful stream.
inline constexpr std::string_view kDoneEvent = "data: [DONE]\n\n";

/// A comment line: keeps silent connections open, clients skip it.
inline constexpr std::string_view kPingEvent = ": ping\n\n";

}  // namespace mesita::http
