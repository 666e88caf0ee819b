#pragma once

#include "tokenizer/tokenizer.h"
#include "training/data/batch_source.h"
#include "training/data/token_documents.h"

namespace mesita::training {

/// The first documents, in order, up to `tokens` scored ids; the last one is cut there. Its bytes
/// are those of the texts, of a cut document those of the ids that are left; 0 where a document's
/// are unknown. Throws std::invalid_argument when there is nothing to score.
EvaluationSet document_evaluation_set(const TokenDocuments& documents, int64_t tokens,
                                      RowShape shape, const tokenizer::Tokenizer& tokenizer);

}  // namespace mesita::training
