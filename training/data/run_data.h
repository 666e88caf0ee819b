#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tokenizer/tokenizer.h"
#include "training/data/batch_source.h"
#include "training/run_config.h"

namespace mesita::training {

/// What a run learns from.
struct RunData {
  std::unique_ptr<tokenizer::Tokenizer> tokenizer;
  std::vector<std::unique_ptr<BatchSource>> training;  // one for each of the run's seeds
  EvaluationSet evaluation;
  std::optional<int32_t> start, end;
  std::string description;  // a sentence about the data
  std::string hash;         // SHA-256 of the ids of both sets: equal hashes, equal data
};

/// Reads or makes the data that the config names, and enters the tokenizer's size as vocabulary
/// where the config has 0. Throws std::invalid_argument when the tokenizer has another number of
/// ids than the model, and what the readers throw.
RunData make_run_data(RunConfig& config);

}  // namespace mesita::training
