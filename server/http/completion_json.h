#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/http/api_error.h"
#include "server/http/choice_delta.h"

namespace mesita::http {

/// What all chunks of one answer share.
struct CompletionHeader {
  std::string id;       // "cmpl-..."
  int64_t created = 0;  // seconds since 1970
  std::string model;
  std::string fingerprint;  // build and checkpoint
  int64_t seed = 0;         // of all choices
};

struct Usage {
  int64_t prompt_tokens = 0;
  int64_t completion_tokens = 0;
};

/// Whether chunks carry `"usage": null`: the client asked for a usage chunk at the end.
enum class UsageField { absent, null };

Json usage_json(const Usage& usage);
/// {"tokens", "token_logprobs", "top_logprobs", "text_offset"}, four arrays of equal length.
Json logprobs_json(const std::vector<TokenEntry>& entries);
/// One chunk of a stream. `logprobs`: whether the request asked for them.
Json chunk_json(const CompletionHeader& header, int64_t choice, const ChoiceDelta& delta,
                bool logprobs, UsageField usage);
/// The chunk without choices that carries the totals.
Json usage_chunk_json(const CompletionHeader& header, const Usage& usage);
/// A whole answer: one delta per choice, in order.
Json completion_json(const CompletionHeader& header, const std::vector<ChoiceDelta>& choices,
                     bool logprobs, const Usage& usage);

/// Adds a later delta of the same choice.
void append(ChoiceDelta& whole, ChoiceDelta&& next);

}  // namespace mesita::http
