#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "server/evaluation/perplexity.h"
#include "server/evaluation/source_texts.h"

namespace mesita::evaluation {

/// What one model says about a list of texts.
struct CorpusScore {
  std::string model;  // its id
  int64_t texts = 0;
  int64_t context = 0;  // ids per window that were used
  int64_t stride = 0;
  Score sums;
  StandardErrors errors;
};

/// Receives how much of the work is done, 0 .. 1, before each window.
using ScoringProgress = std::function<void(double share)>;

/// Scores each text alone (convention `document`). Throws std::invalid_argument for options out of
/// range and std::runtime_error with the origin of a text that the tokenizer refuses.
CorpusScore score_corpus(const ModelHandle& model, const std::vector<SourceText>& texts,
                         const ScoringOptions& options, const ScoringProgress& progress = {});

}  // namespace mesita::evaluation
