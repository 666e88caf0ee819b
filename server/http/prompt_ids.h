#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "server/http/completion_request.h"
#include "server/http/model_registry.h"

namespace mesita::http {

/// A prompt as a model reads it.
struct PromptIds {
  std::vector<int32_t> ids;  // document_start included
  size_t hidden = 0;         // ids at the front that the client does not see: document_start

  std::vector<int32_t> visible() const {
    return {ids.begin() + static_cast<ptrdiff_t>(hidden), ids.end()};
  }
};

/// Whether names of special tokens inside a text mean the tokens.
enum class SpecialNames { text, tokens };

/// Tokens of a text with their bytes; a special token covers its name. Throws ApiError 400 with
/// `param` for what the tokenizer refuses.
std::vector<tokenizer::Span> encode_spans(const ModelEntry& model, std::string_view text,
                                          SpecialNames names, const std::string& param);
/// Their ids.
std::vector<int32_t> encode_text(const ModelEntry& model, std::string_view text, SpecialNames names,
                                 const std::string& param);

/// Strings get the model's document_start in front, ids are taken as they are. Throws ApiError 400:
/// what the tokenizer refuses, ids outside the vocabulary, nothing at all, or (type
/// exceed_context_size_error) more than the model's context, or as much with max_tokens above 1.
PromptIds prompt_ids(const ModelEntry& model, const Prompt& prompt,
                     const CompletionRequest& request);

/// Throws ApiError 400 naming `param` for an id outside the model's vocabulary.
void check_ids(const ModelEntry& model, const std::vector<int32_t>& ids, const std::string& param);

/// Throws ApiError 400 for sampling options that this model cannot follow.
void check_sampling(const ModelEntry& model, const inference::SamplingOptions& sampling);

}  // namespace mesita::http
