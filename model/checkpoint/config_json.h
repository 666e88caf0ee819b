#pragma once

#include <string>
#include <string_view>

#include "model/checkpoint/checkpoint.h"

namespace mesita::checkpoint {

/// Throws std::invalid_argument naming the field: impossible sizes, document_start or end outside
/// the vocabulary, an unknown recipe, a role listed twice, trained_on that is not UTF-8.
void validate(const CheckpointConfig& config);

/// The text of config.json. Equal configurations have equal texts. Throws as validate().
std::string config_text(const CheckpointConfig& config);

/// Throws std::runtime_error: not JSON, newer format, unknown key (with the nearest known one),
/// missing key, wrong type, or a value that validate() refuses.
CheckpointConfig parse_config(std::string_view text);

}  // namespace mesita::checkpoint
