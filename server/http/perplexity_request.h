#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/http/fields.h"

namespace mesita::http {

/// Texts of one request, the server's own bound.
inline constexpr size_t kMaxTexts = 4096;

/// A scoring request without its models.
struct PerplexityRequest {
  std::vector<std::string> texts;         // these, or
  std::vector<std::vector<int32_t>> ids;  // these; never both
  std::optional<int64_t> context;         // absent: the smallest of the models
  std::optional<int64_t> stride;          // absent: half of the context
  bool per_token = false;
  bool score_end = false;
  bool parse_special = false;  // names of special tokens inside text mean the tokens
};

/// Throws ApiError 400 naming the field; also for a convention other than `document`.
PerplexityRequest parse_perplexity(Fields& fields);

}  // namespace mesita::http
