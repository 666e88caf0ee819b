#include "server/http/prompt_ids.h"

#include <optional>
#include <stdexcept>
#include <string>

#include "server/http/api_error.h"

namespace mesita::http {

namespace {

using tokenizer::Span;

/// Finds the names of special tokens in a text, one after the other.
class SpecialSearch {
 public:
  SpecialSearch(const ModelEntry& model, std::string_view text) : text_(text) {
    for (const auto& [name, id] : model.specials) names_.push_back({name, id, text.find(name)});
  }

  /// The special token whose name stands first from a position on, the longest one if several begin
  /// there; nothing when none follows. Positions must not decrease.
  std::optional<Span> next(size_t from) {
    std::optional<Span> first;
    for (Name& name : names_) {
      // A name still ahead keeps its place: the text is searched for it once, not at every hit.
      if (name.at < from) name.at = text_.find(name.text, from);
      if (name.at == std::string_view::npos) continue;
      const size_t end = name.at + name.text.size();
      if (!first || name.at < first->begin || (name.at == first->begin && end > first->end)) {
        first = {name.id, name.at, end};
      }
    }
    return first;
  }

 private:
  struct Name {
    std::string_view text;
    int32_t id;
    size_t at;  // where it stands next
  };

  std::string_view text_;
  std::vector<Name> names_;
};

/// Appends the tokens of a part of a text that holds no special ones.
void append_plain(const ModelEntry& model, std::string_view text, size_t begin, size_t end,
                  std::vector<Span>& spans) {
  if (begin == end) return;
  for (const Span& span :
       model.model().tokenizer->encode_with_spans(text.substr(begin, end - begin))) {
    spans.push_back({span.id, begin + span.begin, begin + span.end});
  }
}

std::vector<Span> spans_with_specials(const ModelEntry& model, std::string_view text) {
  std::vector<Span> spans;
  SpecialSearch search(model, text);
  size_t at = 0;
  while (const std::optional<Span> special = search.next(at)) {
    append_plain(model, text, at, special->begin, spans);
    // Blanks before it may be no token of their own.
    spans.push_back({special->id, spans.empty() ? 0 : spans.back().end, special->end});
    at = special->end;
  }
  append_plain(model, text, at, text.size(), spans);
  if (!spans.empty()) spans.back().end = text.size();
  return spans;
}

void check_length(const ModelEntry& model, const PromptIds& prompt, int64_t max_tokens) {
  const auto size = static_cast<int64_t>(prompt.ids.size());
  const int64_t context = model.model().config.model.context;
  if (size > context || (size == context && max_tokens > 1)) throw context_exceeded(size, context);
}

}  // namespace

std::vector<Span> encode_spans(const ModelEntry& model, std::string_view text, SpecialNames names,
                               const std::string& param) {
  try {
    if (names == SpecialNames::text || model.specials.empty()) {
      return model.model().tokenizer->encode_with_spans(text);
    }
    return spans_with_specials(model, text);
  } catch (const std::invalid_argument& error) {
    throw invalid_request(error.what(), param);
  }
}

std::vector<int32_t> encode_text(const ModelEntry& model, std::string_view text, SpecialNames names,
                                 const std::string& param) {
  std::vector<int32_t> ids;
  for (const Span& span : encode_spans(model, text, names, param)) ids.push_back(span.id);
  return ids;
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
    // An empty text needs no tokenizer: a model without text has a start of document too.
    if (!text->empty()) {
      const std::vector<int32_t> ids = encode_text(model, *text, names, "prompt");
      result.ids.insert(result.ids.end(), ids.begin(), ids.end());
    }
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
