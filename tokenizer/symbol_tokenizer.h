#pragma once

#include <filesystem>
#include <memory>

#include "tokenizer/tokenizer.h"

namespace mesita::tokenizer {

/// Reads symbols.json. Throws std::runtime_error with file and reason.
std::unique_ptr<Tokenizer> load_symbol_tokenizer(const std::filesystem::path& file);

}  // namespace mesita::tokenizer
