#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace mesita::tokenizer {

/// How a SentencePiece vocabulary is made. Fixed, because every text must survive: identity
/// normalisation, no dummy prefix, white space kept, byte fallback, pieces of blanks allowed;
/// ids 0 <unk>, 1 <s>, 2 </s>, then 256 bytes, no padding.
struct SentencePieceOptions {
  enum class Algorithm { bpe, unigram };
  Algorithm algorithm = Algorithm::bpe;
  int64_t vocabulary = 4096;  // number of ids, specials and bytes included
  double coverage = 1.0;      // share of the text's characters with own pieces; others are bytes
  bool split_digits = true;   // every digit is a piece of its own
  int64_t sentences = 0;      // train on so many (over 100), drawn by a fixed seed; 0: on all
};

/// Fills `document` with the next document (valid UTF-8); false at the end. May throw.
using NextDocument = std::function<bool(std::string& document)>;

/// What the trainer was given and what it left out.
struct TrainingReport {
  int64_t documents = 0;
  int64_t bytes = 0;                // of the documents
  int64_t empty_documents = 0;      // contributed nothing
  int64_t sentences = 0;            // parts handed to SentencePiece: whole documents where possible
  int64_t cut_documents = 0;        // longer than 16,384 bytes, handed over in parts
  int64_t reserved_characters = 0;  // U+2581 and U+2585, cut out; they are encoded as bytes
};

struct TrainedSentencePiece {
  std::string model;  // serialised, as in tokenizer.model
  TrainingReport report;
};

/// Trains in memory; the same documents, options and library version give the same bytes. Throws
/// std::invalid_argument for options out of range and for a document that is not UTF-8 (which one,
/// and where); std::runtime_error for no text at all and when SentencePiece fails, for example
/// because the vocabulary is too large or too small for the text; passes on what `next` throws.
TrainedSentencePiece train_sentencepiece(const NextDocument& next,
                                         const SentencePieceOptions& options);

}  // namespace mesita::tokenizer
