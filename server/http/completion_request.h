#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/inference/sampler.h"
#include "server/http/fields.h"

namespace mesita::http {

/// One prompt as the client wrote it: text, or ids.
using Prompt = std::variant<std::string, std::vector<int32_t>>;

/// Bounds that are the server's own, not OpenAI's.
inline constexpr size_t kMaxStopStrings = 64;
inline constexpr size_t kMaxStopBytes = 1024;  // of one stop string

/// A completion request, checked for everything that does not depend on a model. Defaults are
/// OpenAI's.
struct CompletionRequest {
  std::vector<Prompt> prompts;  // at least one
  int64_t choices = 1;          // n: per prompt
  int64_t max_tokens = 16;
  bool echo = false;
  std::optional<int64_t> logprobs;  // number of alternatives; present: logprobs are reported
  std::vector<std::string> stop;
  std::optional<int64_t> seed;  // absent: a fresh one
  inference::SamplingOptions sampling;
  bool stream = false;
  bool include_usage = false;  // a last chunk with the totals
  bool parse_special = false;  // names of special tokens inside text mean the tokens
};

/// Whether the answer is a stream because the request says so, or in any case.
enum class Streaming { as_asked, always };

/// Reads the fields; throws ApiError 400 naming the field.
CompletionRequest parse_completion(Fields& fields, Streaming streaming);

}  // namespace mesita::http
