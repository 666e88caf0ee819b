#pragma once

#include <filesystem>

#include "tokenizer/tokenizer.h"
#include "training/data/document_packer.h"

namespace mesita::training {

/// The documents of a text file as ids: <s> text </s>, with whichever of the two the tokenizer has.
/// Throws std::invalid_argument when the tokenizer has neither, and std::runtime_error naming the
/// file when it cannot be read, holds no document, or a document cannot be encoded.
TokenDocuments read_text_documents(const std::filesystem::path& file,
                                   const tokenizer::Tokenizer& tokenizer);

/// Bytes that each id adds inside a text.
std::vector<int32_t> token_bytes(const tokenizer::Tokenizer& tokenizer);

}  // namespace mesita::training
