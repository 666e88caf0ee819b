#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace mesita::evaluation {

/// One token of a scored text.
struct TokenScore {
  int32_t id = 0;
  size_t begin = 0, end = 0;   // bytes of the text (0, 0 for ids without text)
  std::optional<double> nats;  // -log p; nothing when not scored (no token precedes it)
};

/// Sums over one text, or over many. bits = nats / ln 2.
struct Score {
  int64_t tokens = 0;  // of the text, document_start not counted
  int64_t scored_tokens = 0;
  int64_t skipped_tokens = 0;  // tokens - scored_tokens
  int64_t bytes = 0;           // UTF-8 bytes of the text
  int64_t words = 0;           // maximal runs of non-white-space
  double nats = 0.0;           // a sum

  double nats_per_token() const;  // each NaN when there is nothing to divide by; null in JSON
  double bits_per_token() const;
  double bits_per_byte() const;
  double perplexity() const;
  void add(const Score& other);
};

struct TextScore {
  Score sums;
  std::vector<TokenScore> tokens;
};

/// Standard errors of nats per token.
struct StandardErrors {
  double over_tokens = 0.0;  // tokens as the sample; 0 for fewer than two
  double over_texts = 0.0;   // texts as the sample (ratio estimator); 0 for fewer than two
};

/// Texts without a scored token are no observations. With m = nats per token over all texts,
/// over_tokens = sqrt(sum (nats - m)^2 / (N - 1) / N) over N tokens, and over_texts =
/// sqrt(n / (n - 1) * sum (nats_i - m tokens_i)^2) / sum tokens_i over n texts (Cochran, Sampling
/// Techniques, section 6.4). Tokens of one text resemble each other, so the second is the safer.
StandardErrors standard_errors(const std::vector<TextScore>& texts);

/// Maximal runs of characters that are not Unicode white space, in valid UTF-8.
int64_t count_words(std::string_view text);

}  // namespace mesita::evaluation
