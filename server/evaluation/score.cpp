#include "server/evaluation/score.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace mesita::evaluation {
namespace {

double ratio(double sum, int64_t count) {
  return count == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / static_cast<double>(count);
}

// Bytes of the white-space character (Unicode property White_Space) at the front of text, else 0.
size_t leading_white_space(std::string_view text) {
  const auto byte = [text](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const unsigned first = byte(0);
  if (first == ' ' || (first >= '\t' && first <= '\r')) return 1;
  if (first == 0xC2) return byte(1) == 0x85 || byte(1) == 0xA0 ? 2 : 0;
  if (first < 0xE1 || first > 0xE3) return 0;
  const unsigned code = (first & 0x0FU) << 12U | (byte(1) & 0x3FU) << 6U | (byte(2) & 0x3FU);
  const bool white = code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 ||
                     code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000;
  return white ? 3 : 0;
}

}  // namespace

double Score::nats_per_token() const {
  return ratio(nats, scored_tokens);
}
double Score::bits_per_token() const {
  return nats_per_token() / std::numbers::ln2;
}
double Score::bits_per_byte() const {
  return ratio(nats, bytes) / std::numbers::ln2;
}
double Score::perplexity() const {
  return std::exp(nats_per_token());
}

void Score::add(const Score& other) {
  tokens += other.tokens;
  scored_tokens += other.scored_tokens;
  skipped_tokens += other.skipped_tokens;
  bytes += other.bytes;
  words += other.words;
  nats += other.nats;
}

StandardErrors standard_errors(const std::vector<TextScore>& texts) {
  Score total;
  int64_t scored_texts = 0;
  for (const TextScore& text : texts) {
    total.add(text.sums);
    if (text.sums.scored_tokens > 0) ++scored_texts;
  }
  if (scored_texts == 0) return {};
  const double mean = total.nats_per_token();
  double token_squares = 0.0;
  double text_squares = 0.0;
  for (const TextScore& text : texts) {
    for (const TokenScore& token : text.tokens) {
      if (token.nats) token_squares += (*token.nats - mean) * (*token.nats - mean);
    }
    const double rest = text.sums.nats - mean * static_cast<double>(text.sums.scored_tokens);
    text_squares += rest * rest;
  }
  StandardErrors errors;
  const auto tokens = static_cast<double>(total.scored_tokens);
  if (total.scored_tokens > 1)
    errors.over_tokens = std::sqrt(token_squares / (tokens - 1) / tokens);
  if (scored_texts > 1) {
    const auto n = static_cast<double>(scored_texts);
    errors.over_texts = std::sqrt(n / (n - 1) * text_squares) / tokens;
  }
  return errors;
}

int64_t count_words(std::string_view text) {
  int64_t words = 0;
  bool inside = false;
  while (!text.empty()) {
    const size_t white = leading_white_space(text);
    if (white == 0 && !inside) ++words;
    inside = white == 0;
    text.remove_prefix(white == 0 ? 1 : white);
  }
  return words;
}

}  // namespace mesita::evaluation
