#include "server/http/token_logprob.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "server/http/token_text.h"

namespace mesita::http {

double finite_logprob(const inference::Distribution& distribution, int32_t id) {
  const double logprob = distribution.logprob(id);
  return std::isfinite(logprob) ? std::max(logprob, kLogprobFloor) : kLogprobFloor;
}

TokenLogprob token_logprob(const inference::Distribution& distribution, int32_t chosen,
                           int64_t alternatives, const tokenizer::Tokenizer& tokenizer,
                           tokenizer::Tokenizer::Place place) {
  TokenLogprob result;
  result.logprob = finite_logprob(distribution, chosen);
  std::unordered_set<std::string> texts;
  const auto add = [&](int32_t id) {
    std::string text = token_text(tokenizer, id, place);
    if (!texts.insert(text).second) return;
    result.top.emplace_back(std::move(text), finite_logprob(distribution, id));
  };
  // Equal texts are rare; when they leave a gap, look further down.
  for (int64_t look = alternatives; alternatives > 0; look *= 2) {
    result.top.clear();
    texts.clear();
    const std::vector<int32_t> best = distribution.top(look);
    for (const int32_t id : best) {
      if (static_cast<int64_t>(result.top.size()) == alternatives) break;
      add(id);
    }
    if (static_cast<int64_t>(result.top.size()) == alternatives) break;
    if (look >= std::min(distribution.size(), kMostLookedAt)) break;
  }
  add(chosen);
  return result;
}

}  // namespace mesita::http
