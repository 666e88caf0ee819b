#pragma once

#include <string>
#include <vector>

#include "server/evaluation/corpus_score.h"

namespace mesita::evaluation {

/// Lines for people: model, texts, tokens, scored tokens, nats per token with its standard error
/// (over texts; over tokens when there is one text), bits per byte, perplexity.
std::string score_table(const std::vector<CorpusScore>& scores);

/// One JSON document whose `summary` has the fields of the server's /perplexity, and `texts`,
/// `context` and `stride` of each model.
std::string score_json(const std::vector<CorpusScore>& scores);

}  // namespace mesita::evaluation
