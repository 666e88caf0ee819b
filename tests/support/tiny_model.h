#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "model/language_model.h"

namespace mesita::testing {

/// A small GPT-2 shape with learned positions, of odd sizes on purpose: vocabulary, width and head
/// width fill no whole vector registers.
model::ModelConfig tiny_config();

/// A model that looks trained (tiny_parameters.h: sharp predictions, every tensor matters),
/// prepared for inference.
std::shared_ptr<model::LanguageModel> tiny_model(const model::ModelConfig& config = tiny_config(),
                                                 uint64_t seed = 1);

/// `count` ids below `vocabulary`, from a seed.
std::vector<int32_t> random_ids(int64_t count, int64_t vocabulary, uint64_t seed);

}  // namespace mesita::testing
