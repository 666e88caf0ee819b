#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/inference/sampler.h"
#include "server/evaluation/model_handle.h"

namespace mesita::evaluation {

/// One prompt to continue.
struct GenerationRequest {
  std::optional<std::string> prompt;  // absent: the start of a document
  int64_t max_tokens = 256;
  int64_t choices = 1;            // continuations that differ in their random numbers alone
  uint64_t seed = 0;              // of the random numbers; the same as in the server's API
  std::vector<std::string> stop;  // a continuation ends before the first of these
  inference::SamplingOptions sampling;
};

/// One continuation.
struct Generation {
  std::string text;
  std::string finish_reason;  // "stop" (end of document or stop string) or "length"
  int64_t tokens = 0;         // drawn, the end id included
};

/// Receives text of a choice as soon as it is certain; pieces are whole UTF-8.
using TextSink = std::function<void(int64_t choice, std::string_view text)>;

/// Continues a prompt, one choice after the other. Throws std::invalid_argument for what the
/// tokenizer or the engine refuses (text, length, options), for choices < 1 and for an absent
/// prompt when the model has no document_start; std::runtime_error when the computation fails.
std::vector<Generation> generate(const ModelHandle& model, const GenerationRequest& request,
                                 const TextSink& sink = {});

}  // namespace mesita::evaluation
