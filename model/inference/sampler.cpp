#include "model/inference/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

#include "model/kernels/exponential.h"

namespace mesita::inference {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

/// A token that may still be drawn.
struct Candidate {
  int32_t id;
  double weight;  // in proportion to its probability
};

bool more_probable(const Candidate& a, const Candidate& b) {
  return a.weight != b.weight ? a.weight > b.weight : a.id < b.id;
}

[[noreturn]] void refuse(const std::string& message) {
  throw std::invalid_argument(message);
}

void check_finite(double value, const char* field) {
  if (!std::isfinite(value)) refuse(std::string(field) + " must be a finite number");
}

/// Logits after logit_bias and penalties; what is not a finite number can never be drawn.
std::vector<double> adjusted_logits(std::span<const float> logits, const SamplingOptions& options,
                                    const TokenHistory& history) {
  std::vector<double> adjusted(logits.begin(), logits.end());
  for (const auto& [id, bias] : options.logit_bias) adjusted[static_cast<size_t>(id)] += bias;
  if (options.repetition_penalty != 1.0) {
    const auto penalise = [&](int32_t id) {
      double& logit = adjusted[static_cast<size_t>(id)];
      logit = logit > 0 ? logit / options.repetition_penalty : logit * options.repetition_penalty;
    };
    for (const auto& [id, count] : history.prompt) penalise(id);
    for (const auto& [id, count] : history.generated) {
      if (!history.prompt.contains(id)) penalise(id);
    }
  }
  for (const auto& [id, count] : history.generated) {
    adjusted[static_cast<size_t>(id)] -=
        options.presence_penalty + options.frequency_penalty * static_cast<double>(count);
  }
  for (double& logit : adjusted) {
    if (!std::isfinite(logit)) logit = kNever;
  }
  return adjusted;
}

/// Keeps the `count` most probable candidates.
void keep_best(std::vector<Candidate>& candidates, size_t count) {
  if (count >= candidates.size()) return;
  std::nth_element(candidates.begin(), candidates.begin() + static_cast<ptrdiff_t>(count),
                   candidates.end(), more_probable);
  candidates.resize(count);
}

/// Keeps the smallest set of most probable candidates whose share reaches top_p.
void keep_share(std::vector<Candidate>& candidates, double top_p) {
  double total = 0.0;
  for (const Candidate& candidate : candidates) total += candidate.weight;
  // Only as many as are likely needed are put in order, more when they were too few.
  for (size_t sorted = 64;; sorted *= 8) {
    const size_t count = std::min(sorted, candidates.size());
    std::partial_sort(candidates.begin(), candidates.begin() + static_cast<ptrdiff_t>(count),
                      candidates.end(), more_probable);
    double share = 0.0;
    for (size_t i = 0; i < count; ++i) {
      share += candidates[i].weight;
      if (share >= top_p * total) return candidates.resize(i + 1);
    }
    if (count == candidates.size()) return;
  }
}

std::vector<Candidate> candidates_of(std::span<const double> weights) {
  std::vector<Candidate> candidates;
  candidates.reserve(weights.size());
  for (size_t id = 0; id < weights.size(); ++id) {
    if (weights[id] > 0) candidates.push_back({static_cast<int32_t>(id), weights[id]});
  }
  return candidates;
}

/// The candidate in whose part of the total weight, laid out in the order given, `uniform` falls.
int32_t draw(std::span<const Candidate> candidates, double uniform) {
  double total = 0.0;
  for (const Candidate& candidate : candidates) total += candidate.weight;
  double below = 0.0;
  for (const Candidate& candidate : candidates) {
    below += candidate.weight;
    if (uniform * total < below) return candidate.id;
  }
  return candidates.back().id;
}

}  // namespace

void validate(const SamplingOptions& options, int64_t vocabulary) {
  if (!(options.temperature >= 0.0) || !std::isfinite(options.temperature)) {
    refuse("temperature must be a finite number of at least 0");
  }
  if (!(options.top_p > 0.0 && options.top_p <= 1.0)) refuse("top_p must be in (0, 1]");
  if (!(options.min_p >= 0.0 && options.min_p <= 1.0)) refuse("min_p must be in [0, 1]");
  check_finite(options.presence_penalty, "presence_penalty");
  check_finite(options.frequency_penalty, "frequency_penalty");
  check_finite(options.repetition_penalty, "repetition_penalty");
  if (options.repetition_penalty <= 0.0) refuse("repetition_penalty must be positive");
  for (const auto& [id, bias] : options.logit_bias) {
    if (id < 0 || id >= vocabulary) {
      refuse("logit_bias: id " + std::to_string(id) + " is outside the vocabulary of " +
             std::to_string(vocabulary));
    }
    check_finite(bias, "logit_bias");
  }
}

Distribution::Distribution(std::span<const float> logits) : logits_(logits) {
  float largest = -std::numeric_limits<float>::infinity();
  for (const float logit : logits) largest = logit > largest ? logit : largest;
  log_normaliser_ = largest + std::log(kernels::sum_of_exponentials(logits, largest));
}

bool Distribution::is_proper() const {
  return std::isfinite(log_normaliser_);
}

double Distribution::logprob(int32_t id) const {
  return static_cast<double>(logits_[static_cast<size_t>(id)]) - log_normaliser_;
}

std::vector<int32_t> Distribution::top(int64_t count) const {
  const auto logit = [this](int32_t id) {
    const float value = logits_[static_cast<size_t>(id)];
    return std::isnan(value) ? -std::numeric_limits<float>::infinity() : value;
  };
  const auto better = [&](int32_t a, int32_t b) {
    const float x = logit(a), y = logit(b);
    return x != y ? x > y : a < b;
  };
  const auto wanted = static_cast<size_t>(std::clamp<int64_t>(count, 0, size()));
  if (wanted == 0) return {};
  // A heap whose front is the worst of the best so far: most ids fail one comparison with it.
  std::vector<int32_t> best(wanted);
  std::iota(best.begin(), best.end(), 0);
  std::ranges::make_heap(best, better);
  for (auto id = static_cast<int32_t>(wanted); id < size(); ++id) {
    if (!better(id, best.front())) continue;
    std::ranges::pop_heap(best, better);
    best.back() = id;
    std::ranges::push_heap(best, better);
  }
  std::ranges::sort_heap(best, better);
  return best;
}

int32_t sample(const Distribution& distribution, const SamplingOptions& options,
               const TokenHistory& history, double uniform) {
  std::vector<double> weights = adjusted_logits(distribution.logits(), options, history);
  const auto largest = std::ranges::max_element(weights);  // the first of equals: the lowest id
  if (largest == weights.end() || *largest == kNever) {
    throw std::runtime_error("sample: no token has a finite logit; the model's weights are broken");
  }
  if (options.temperature == 0.0) return static_cast<int32_t>(largest - weights.begin());

  const double top = *largest;
  for (double& weight : weights) weight = (weight - top) / options.temperature;
  kernels::exponentials(weights);

  std::vector<Candidate> candidates = candidates_of(weights);
  if (options.top_k > 0) keep_best(candidates, static_cast<size_t>(options.top_k));
  if (options.top_p < 1.0) keep_share(candidates, options.top_p);
  // The most probable token has weight 1.
  std::erase_if(candidates, [&](const Candidate& c) { return c.weight < options.min_p; });
  if (options.top_k > 0 || options.top_p < 1.0) {
    std::ranges::sort(candidates, {}, &Candidate::id);
  }
  return draw(candidates, uniform);
}

}  // namespace mesita::inference
