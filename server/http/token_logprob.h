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

/// A token's probability under the model's unmodified distribution, and its best rivals.
struct TokenLogprob {
  std::optional<double> logprob;                    // nothing: no token precedes it
  std::vector<std::pair<std::string, double>> top;  // text, logprob; best first, texts distinct
};

/// A token's natural log-probability, at least kLogprobFloor: what all routes report.
double finite_logprob(const inference::Distribution& distribution, int32_t id);

/// The chosen token's logprob and `alternatives` most probable tokens of distinct texts (of equal
/// texts the most probable), plus the chosen token's text when it is not among them. The chosen
/// token's own number and its entry in `top` are the same double.
TokenLogprob token_logprob(const inference::Distribution& distribution, int32_t chosen,
                           int64_t alternatives, const tokenizer::Tokenizer& tokenizer);

}  // namespace mesita::http
