#include "server/evaluation/perplexity.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "model/inference/scoring.h"
#include "server/evaluation/windows.h"

namespace mesita::evaluation {
namespace {

int64_t window_size(const ModelHandle& model, const ScoringOptions& options) {
  const int64_t most = model.config.model.context;
  if (options.context > most) {
    throw std::invalid_argument("context is " + std::to_string(options.context) +
                                ", but the model sees at most " + std::to_string(most) + " ids");
  }
  return options.context == 0 ? most : options.context;
}

// Fills sums.tokens, sequence and windows.
void add_windows(const ModelHandle& model, const ScoringOptions& options,
                 std::optional<int32_t> start, PreparedText& text) {
  text.sequence.reserve(text.tokens.size() + 1);
  if (start) text.sequence.push_back(*start);
  for (const TokenScore& token : text.tokens) text.sequence.push_back(token.id);
  text.sums.tokens = static_cast<int64_t>(text.tokens.size());
  text.sums.skipped_tokens = text.sums.tokens;
  const int64_t context = window_size(model, options);
  const int64_t stride = options.stride == 0 ? context / 2 : options.stride;
  const auto length = static_cast<int64_t>(text.sequence.size());
  for (const WindowSpan& span : plan_windows(length, context, stride)) {
    text.windows.push_back({.begin = span.begin,
                            .end = span.end,
                            .first_scored = span.first_scored - span.begin,
                            .first_token = span.first_scored - (start ? 1 : 0)});
  }
}

void add_end(const ModelHandle& model, size_t at, PreparedText& text) {
  if (!model.config.end) {
    throw std::invalid_argument("score_end is set, but the model '" + model.id + "' has no end id");
  }
  text.tokens.push_back({.id = *model.config.end, .begin = at, .end = at, .nats = {}});
}

}  // namespace

PreparedText prepare_text(const ModelHandle& model, std::string_view text,
                          const ScoringOptions& options) {
  return prepare_spans(model, text, model.tokenizer->encode_with_spans(text), options);
}

PreparedText prepare_spans(const ModelHandle& model, std::string_view text,
                           const std::vector<tokenizer::Span>& spans,
                           const ScoringOptions& options) {
  PreparedText prepared;
  for (const tokenizer::Span& span : spans) {
    prepared.tokens.push_back({.id = span.id, .begin = span.begin, .end = span.end, .nats = {}});
  }
  if (options.score_end) add_end(model, text.size(), prepared);
  prepared.sums.bytes = static_cast<int64_t>(text.size());
  prepared.sums.words = count_words(text);
  add_windows(model, options, model.config.document_start, prepared);
  return prepared;
}

PreparedText prepare_ids(const ModelHandle& model, const std::vector<int32_t>& ids,
                         const ScoringOptions& options) {
  PreparedText prepared;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || ids[i] >= model.config.model.vocabulary) {
      throw std::invalid_argument("id " + std::to_string(ids[i]) + " at index " +
                                  std::to_string(i) + " is outside the vocabulary (0 .. " +
                                  std::to_string(model.config.model.vocabulary - 1) + ")");
    }
    prepared.tokens.push_back({.id = ids[i], .begin = 0, .end = 0, .nats = {}});
  }
  if (options.score_end) add_end(model, 0, prepared);
  add_windows(model, options, std::nullopt, prepared);
  return prepared;
}

void enter_scores(PreparedText& text, size_t window, const std::vector<double>& logprobs) {
  if (window >= text.windows.size()) {
    throw std::invalid_argument("there is no window " + std::to_string(window) + " of " +
                                std::to_string(text.windows.size()));
  }
  const Window& entered = text.windows[window];
  const auto count = entered.end - entered.begin - entered.first_scored;
  if (static_cast<int64_t>(logprobs.size()) != count) {
    throw std::invalid_argument("window " + std::to_string(window) + " scores " +
                                std::to_string(count) + " tokens, but got " +
                                std::to_string(logprobs.size()) + " log-probabilities");
  }
  TokenScore* token = text.tokens.data() + entered.first_token;
  if (token->nats) {
    throw std::invalid_argument("window " + std::to_string(window) + " was entered before");
  }
  for (const double logprob : logprobs) {
    token->nats = -logprob;
    text.sums.nats -= logprob;
    ++token;
  }
  text.sums.scored_tokens += count;
  text.sums.skipped_tokens -= count;
}

TextScore score_prepared(const ModelHandle& model, PreparedText text, const KeepGoing& keep_going) {
  for (size_t i = 0; i < text.windows.size(); ++i) {
    if (keep_going && !keep_going()) throw Cancelled{};
    const Window& window = text.windows[i];
    std::vector<double> logprobs = inference::score(*model.model, text.input(window));
    logprobs.erase(logprobs.begin(), logprobs.begin() + (window.first_scored - 1));
    enter_scores(text, i, logprobs);
  }
  return {text.sums, std::move(text.tokens)};
}

TextScore score_text(const ModelHandle& model, std::string_view text, const ScoringOptions& options,
                     const KeepGoing& keep_going) {
  return score_prepared(model, prepare_text(model, text, options), keep_going);
}

}  // namespace mesita::evaluation
