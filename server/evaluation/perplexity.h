#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "server/evaluation/model_handle.h"

namespace mesita::evaluation {

/// One token of a scored text.
struct TokenScore {
  int32_t id = 0;
  size_t begin = 0, end = 0;   // bytes of the text (0, 0 for ids without text)
  std::optional<double> nats;  // -log p; nothing when not scored (no token precedes it)
};

/// Sums over one text, or over many. bits = nats / ln 2.
struct Score {
  int64_t tokens = 0;          // of the text, document_start not counted
  int64_t scored_tokens = 0;
  int64_t skipped_tokens = 0;  // tokens - scored_tokens
  int64_t bytes = 0;           // UTF-8 bytes of the text
  int64_t words = 0;           // maximal runs of non-white-space
  double nats = 0.0;           // a sum

  double nats_per_token() const;  // each 0 when there is nothing to divide by
  double bits_per_token() const;
  double bits_per_byte() const;
  double perplexity() const;
  void add(const Score& other);
};

struct TextScore {
  Score sums;
  std::vector<TokenScore> tokens;
};

/// Options of a scoring run under the convention `document`: each text alone, preceded by
/// document_start; a text longer than the context in windows of `context` ids that advance by
/// `stride`, every token scored once with the most context.
struct ScoringOptions {
  int64_t context = 0;     // ids per window, document_start counted; 0: the model's
  int64_t stride = 0;      // 0: half of context
  bool score_end = false;  // also score the end id after the text
};

/// Called between pieces of work; returning false abandons the work (score_text then throws
/// Cancelled).
using KeepGoing = std::function<bool()>;
struct Cancelled {};

/// The ids (document_start not among them) and byte spans to score, as windows. Pure; exposed so
/// that the server can drive windows through its own engine.
struct Window {
  std::vector<int32_t> ids;     // input, the first id is context only
  int64_t first_scored = 1;     // index in ids of the first token to score
  int64_t first_token = 0;      // index in the text's tokens of ids[first_scored]
};
struct PreparedText {
  std::vector<TokenScore> tokens;  // nats empty
  std::vector<Window> windows;
  Score sums;                      // tokens, bytes, words filled
};
/// Throws std::invalid_argument for options out of range (context > the model's, < 2, stride < 1 or
/// >= context) and for text that the tokenizer refuses.
PreparedText prepare_text(const ModelHandle& model, std::string_view text,
                          const ScoringOptions& options);
/// The same for ids (no document_start is added; no bytes, no words).
PreparedText prepare_ids(const ModelHandle& model, const std::vector<int32_t>& ids,
                         const ScoringOptions& options);
/// Enters the log-probabilities of one window's tokens first_scored.. (natural log, in order).
void enter_scores(PreparedText& text, size_t window, const std::vector<double>& logprobs);

/// prepare, score every window with inference::score, sum.
TextScore score_text(const ModelHandle& model, std::string_view text, const ScoringOptions& options,
                     const KeepGoing& keep_going = {});

/// Standard errors of nats per token.
struct StandardErrors {
  double over_tokens = 0.0;  // tokens as the sample
  double over_texts = 0.0;   // texts as the sample (ratio estimator); 0 for fewer than two
};
StandardErrors standard_errors(const std::vector<TextScore>& texts);

}  // namespace mesita::evaluation
