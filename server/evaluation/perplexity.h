#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/evaluation/model_handle.h"
#include "server/evaluation/score.h"
#include "tokenizer/tokenizer.h"

namespace mesita::evaluation {

/// Options of a scoring run under the convention `document`: each text alone, preceded by
/// document_start; a text longer than the context in windows of `context` ids that advance by
/// `stride`, every token scored once with the most context.
struct ScoringOptions {
  int64_t context = 0;     // ids per window, document_start counted; 0: the model's
  int64_t stride = 0;      // 0: half of context
  bool score_end = false;  // also score the end id after the text
};

/// Called before each window; returning false abandons the work, which then throws Cancelled.
using KeepGoing = std::function<bool()>;
struct Cancelled {};

/// A piece of a text that the model scores at once.
struct Window {
  int64_t begin = 0;         // of its input in the text's sequence; the first id is context only
  int64_t end = 0;           // past its last id
  int64_t first_scored = 1;  // index in its input of the first token to score
  int64_t first_token = 0;   // index in the text's tokens of that token
};

/// The tokens of a text (document_start not among them) with their byte spans, and the windows to
/// score them in. Exposed so that the server can drive windows through its own engine.
struct PreparedText {
  std::vector<TokenScore> tokens;  // nats empty
  std::vector<int32_t> sequence;   // what the model sees: document_start and the tokens' ids
  std::vector<Window> windows;
  Score sums;  // tokens, bytes, words filled; all tokens skipped

  /// The ids that a window shows to the model. Windows overlap, so they are cut when needed.
  std::vector<int32_t> input(const Window& window) const {
    return {sequence.begin() + window.begin, sequence.begin() + window.end};
  }
};

/// Throws std::invalid_argument for options out of range (context > the model's, < 2, stride < 1 or
/// >= context, score_end without an end id) and for text that the tokenizer refuses. The end id,
/// when scored, is a token of the text with an empty span at its end.
PreparedText prepare_text(const ModelHandle& model, std::string_view text,
                          const ScoringOptions& options);
/// The same for a text whose tokens are known already; their spans cover it.
PreparedText prepare_spans(const ModelHandle& model, std::string_view text,
                           const std::vector<tokenizer::Span>& spans,
                           const ScoringOptions& options);
/// The same for ids (no document_start is added; no bytes, no words). Throws std::invalid_argument
/// for ids outside the vocabulary too.
PreparedText prepare_ids(const ModelHandle& model, const std::vector<int32_t>& ids,
                         const ScoringOptions& options);
/// Enters the log-probabilities of one window's tokens first_scored.. (natural log, in order). Sums
/// are the same bits when windows are entered in the same order. Throws std::invalid_argument for
/// an unknown window, another number of values than the window scores, and a window entered twice.
void enter_scores(PreparedText& text, size_t window, const std::vector<double>& logprobs);

/// Scores every window with inference::score and sums.
TextScore score_prepared(const ModelHandle& model, PreparedText text,
                         const KeepGoing& keep_going = {});
/// prepare_text and score_prepared.
TextScore score_text(const ModelHandle& model, std::string_view text, const ScoringOptions& options,
                     const KeepGoing& keep_going = {});

}  // namespace mesita::evaluation
