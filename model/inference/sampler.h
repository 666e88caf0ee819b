#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace mesita::inference {

/// How the next token is chosen. The defaults change nothing: a token is drawn from the model's own
/// distribution. Order: logit_bias, penalties, temperature, top_k, top_p, min_p, draw.
struct SamplingOptions {
  double temperature = 1.0;         // 0: the most probable token (ties: the lowest id)
  int64_t top_k = 0;                // keep the k most probable; 0 or less: all
  double top_p = 1.0;               // keep the smallest set whose probabilities reach top_p
  double min_p = 0.0;               // drop tokens less probable than min_p x the most probable
  double presence_penalty = 0.0;    // subtracted once for each id generated before (OpenAI)
  double frequency_penalty = 0.0;   // subtracted for each time it was generated (OpenAI)
  double repetition_penalty = 1.0;  // logits of ids in prompt or output: / if > 0, x if < 0 (CTRL)
  std::map<int32_t, double> logit_bias;  // added to these ids' logits
};

/// Throws std::invalid_argument naming the field: temperature < 0, top_p outside (0, 1], min_p
/// outside [0, 1], penalties not finite, repetition_penalty <= 0, bias ids outside the vocabulary.
void validate(const SamplingOptions& options, int64_t vocabulary);

/// What one choice has seen: counts by id.
struct TokenHistory {
  std::map<int32_t, int64_t> generated;
  std::map<int32_t, int64_t> prompt;
};

/// The probabilities that the model gives the next token.
class Distribution {
 public:
  /// logits [vocabulary]; must stay alive as long as this. The normaliser is a fixed-order float64
  /// sum.
  explicit Distribution(std::span<const float> logits);

  int64_t size() const { return static_cast<int64_t>(logits_.size()); }
  std::span<const float> logits() const { return logits_; }
  /// False where logits are NaN or +infinity, or all are -infinity: then nothing else here means
  /// anything.
  bool is_proper() const;
  /// Natural log-probability of the unmodified distribution.
  double logprob(int32_t id) const;
  /// The most probable ids, best first, ties by the lower id; at most `count`.
  std::vector<int32_t> top(int64_t count) const;

 private:
  std::span<const float> logits_;
  double log_normaliser_ = 0.0;
};

/// Chooses a token; `uniform` in [0, 1) decides (unused at temperature 0). Throws
/// std::runtime_error when no finite logit is left.
int32_t sample(const Distribution& distribution, const SamplingOptions& options,
               const TokenHistory& history, double uniform);

}  // namespace mesita::inference
