#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/language_model.h"

namespace mesita::inference {

/// Natural log-probabilities of ids[1], ids[2], ... given all ids before each; ids.size() - 1
/// values, through the engine, so bit-equal to what a completion reports for the same ids. Throws
/// std::invalid_argument for an empty list, unknown ids, or more ids than the context.
std::vector<double> score(const model::LanguageModel& model, std::span<const int32_t> ids);

}  // namespace mesita::inference
