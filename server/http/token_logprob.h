#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/inference/sampler.h"
#include "tokenizer/tokenizer.h"

namespace mesita::http {

/// What JSON can hold in place of minus infinity (vLLM's value).
inline constexpr double kLogprobFloor = -9999.0;

/// Tokens searched for distinct texts: a vocabulary of equal texts must not be sorted whole for
/// every token.
inline constexpr int64_t kMostLookedAt = 1024;

/// A token's probability under the model's unmodified distribution, and its best rivals.
struct TokenLogprob {
  std::optional<double> logprob;                    // nothing: no token precedes it
  std::vector<std::pair<std::string, double>> top;  // text, logprob; best first, texts distinct
};

/// A token's natural log-probability, at least kLogprobFloor: what all routes report.
double finite_logprob(const inference::Distribution& distribution, int32_t id);

/// The chosen token's logprob and `alternatives` most probable tokens of distinct texts (of equal
/// texts the most probable; fewer when the kMostLookedAt most probable tokens have fewer), plus the
/// chosen token's text when it is not among them. All spelled for the chosen token's place, so that
/// its text is a key; its number and that entry are the same double unless a more probable token
/// has the same text.
TokenLogprob token_logprob(const inference::Distribution& distribution, int32_t chosen,
                           int64_t alternatives, const tokenizer::Tokenizer& tokenizer,
                           tokenizer::Tokenizer::Place place);

}  // namespace mesita::http
