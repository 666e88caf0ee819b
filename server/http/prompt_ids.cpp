#include "server/http/prompt_ids.h"

#include <stdexcept>
#include <string>

#include "server/http/api_error.h"

namespace mesita::http {

namespace {

/// The special token whose name stands first in a text, the longest one if several begin there.
struct Occurrence {
  size_t at = std::string_view::npos;
  size_t size = 0;
  int32_t id = 0;
};

Occurrence first_special(const ModelEntry& model, std::string_view text) {
  Occurrence first;
  for (const auto& [name, id] : model.specials) {
    const size_t at = text.find(name);
    if (at == std::string_view::npos) continue;
    if (at < first.at || (at == first.at && name.size() > first.size)) {
      first = {at, name.size(), id};
    }
  }
  return first;
}

void append_text(const ModelEntry& model, std::string_view text, std::vector<int32_t>& ids) {
  if (text.empty()) return;
  const std::vector<int32_t> more = model.model().tokenizer->encode(text);
  ids.insert(ids.end(), more.begin(), more.end());
}

void check_length(const ModelEntry& model, const PromptIds& prompt, int64_t max_tokens) {
  const auto size = static_cast<int64_t>(prompt.ids.size());
  const int64_t context = model.model().config.model.context;
  if (size > context || (size == context && max_tokens > 1)) throw context_exceeded(size, context);
}

}  // namespace

std::vector<int32_t> encode_text(const ModelEntry& model, std::string_view text, SpecialNames names,
                                 const std::string& param) {
  try {
    if (names == SpecialNames::text || model.specials.empty()) {
      return model.model().tokenizer->encode(text);
    }
    std::vector<int32_t> ids;
    while (!text.empty()) {
      const Occurrence special = first_special(model, text);
      append_text(model, text.substr(0, special.at), ids);
      if (special.size == 0) break;
      ids.push_back(special.id);
      text.remove_prefix(special.at + special.size);
    }
    return ids;
  } catch (const std::invalid_argument& error) {
    throw invalid_request(error.what(), param);
  }
}

PromptIds prompt_ids(const ModelEntry& model, const Prompt& prompt,
                     const CompletionRequest& request) {
  PromptIds result;
  if (const auto* text = std::get_if<std::string>(&prompt)) {
    if (const auto start = model.model().config.document_start) {
      result.ids.push_back(*start);
      result.hidden = 1;
    }
    const auto names = request.parse_special ? SpecialNames::tokens : SpecialNames::text;
    const std::vector<int32_t> ids = encode_text(model, *text, names, "prompt");
    result.ids.insert(result.ids.end(), ids.begin(), ids.end());
  } else {
    result.ids = std::get<std::vector<int32_t>>(prompt);
    check_ids(model, result.ids, "prompt");
  }
  if (result.ids.empty()) {
    throw invalid_request("the prompt is empty, and this model has no start of document", "prompt");
  }
  check_length(model, result, request.max_tokens);
  return result;
}

void check_ids(const ModelEntry& model, const std::vector<int32_t>& ids, const std::string& param) {
  const int64_t vocabulary = model.model().config.model.vocabulary;
  for (const int32_t id : ids) {
    if (id >= 0 && id < vocabulary) continue;
    throw invalid_request(param + ": token id " + std::to_string(id) +
                              " is outside the vocabulary of " + model.id +
                              ", whose ids are 0 to " + std::to_string(vocabulary - 1),
                          param);
  }
}

void check_sampling(const ModelEntry& model, const inference::SamplingOptions& sampling) {
  std::vector<int32_t> biased;
  for (const auto& [id, bias] : sampling.logit_bias) biased.push_back(id);
  check_ids(model, biased, "logit_bias");
  try {
    inference::validate(sampling, model.model().config.model.vocabulary);
  } catch (const std::invalid_argument& error) {
    throw invalid_request(error.what());
  }
}

}  // namespace mesita::http
