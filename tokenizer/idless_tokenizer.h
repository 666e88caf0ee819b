#pragma once

#include <filesystem>
#include <memory>

#include "tokenizer/tokenizer.h"

namespace mesita::tokenizer {

/// Reads none.json. Throws std::runtime_error with file and reason.
std::unique_ptr<Tokenizer> load_idless_tokenizer(const std::filesystem::path& file);

}  // namespace mesita::tokenizer
