#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/language_model.h"
#include "tokenizer/tokenizer.h"
#include "training/run_config.h"

namespace mesita::training {

/// A prompt and what the model makes of it.
struct Sample {
  std::string prompt;
  std::string text;  // the continuation
};

/// Continues every prompt of the config, through the inference path. The model's present weights
/// are prepared for inference first. Throws std::invalid_argument for a prompt that the tokenizer
/// refuses, that fills the context, or that is empty where documents have no start.
std::vector<Sample> draw_samples(const std::shared_ptr<model::LanguageModel>& model,
                                 const tokenizer::Tokenizer& tokenizer,
                                 std::optional<int32_t> start, std::optional<int32_t> end,
                                 const RunConfig& config);

/// Checks what draw_samples would refuse, so that a run fails before it trains.
void check_prompts(const tokenizer::Tokenizer& tokenizer, std::optional<int32_t> start,
                   const RunConfig& config);

}  // namespace mesita::training
