#pragma once

#include <filesystem>
#include <memory>

#include "tokenizer/tokenizer.h"
#include "training/data/document_list.h"

namespace mesita::training {

/// The documents of a text file as ids: <s> text </s>, with whichever of the two the tokenizer has.
/// Throws std::invalid_argument when the tokenizer has neither, and std::runtime_error naming the
/// file when it cannot be read, holds no document, or a document cannot be encoded.
std::unique_ptr<DocumentList> read_text_documents(const std::filesystem::path& file,
                                                  const tokenizer::Tokenizer& tokenizer);

/// The ids that the tokenizer puts around documents. Throws std::invalid_argument when it has
/// neither <s> nor </s>.
DocumentMarks document_marks(const tokenizer::Tokenizer& tokenizer);
/// The ids of a text between its marks. Throws std::invalid_argument as Tokenizer::encode.
std::vector<int32_t> document_ids(std::string_view text, const tokenizer::Tokenizer& tokenizer,
                                  DocumentMarks marks);

}  // namespace mesita::training
