#pragma once

#include <string>

#include "tokenizer/sentencepiece_model.h"

namespace mesita::tokenizer {

/// tokenizer.json of Hugging Face's tokenizers, with the same ids for the same text: a BPE model as
/// merges in the order of its pieces' scores, a unigram model as it is. Throws
/// std::invalid_argument with the reason for what that format cannot hold exactly: a model that
/// changes text before it is encoded, pieces defined by its user, words or characters.
std::string huggingface_tokenizer(const SentencePieceModel& model);

}  // namespace mesita::tokenizer
