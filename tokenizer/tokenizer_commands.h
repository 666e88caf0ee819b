#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/corpus/documents.h"
#include "tokenizer/sentencepiece_trainer.h"
#include "tokenizer/tokenizer.h"

namespace mesita::tokenizer {

/// How a command prints its result: for people, or one JSON document.
enum class OutputFormat { text, json };

/// A vocabulary to be trained.
struct TrainRequest {
  std::vector<std::filesystem::path> inputs;  // see corpus::open_documents
  std::filesystem::path out;                  // folder that gets tokenizer.model
  SentencePieceOptions options;
  corpus::Malformed malformed = corpus::Malformed::fail;
};

// The commands of `mesita tokenizer`. They print to `out` and throw std::invalid_argument for wrong
// usage, std::runtime_error when something fails.

/// Trains, writes the folder, prints what was used and left out.
void train_command(const TrainRequest& request, OutputFormat format, std::ostream& out);
/// Prints the ids of a text; as JSON also the bytes that each covers.
void encode_command(const Tokenizer& tokenizer, std::string_view text, OutputFormat format,
                    std::ostream& out);
/// Prints the text of ids, with nothing added.
void decode_command(const Tokenizer& tokenizer, const std::vector<int32_t>& ids,
                    Tokenizer::Specials specials, OutputFormat format, std::ostream& out);
/// Prints kind, size, hash and special ids; for SentencePiece what it does to a text.
void inspect_command(const Tokenizer& tokenizer, OutputFormat format, std::ostream& out);

/// Ids separated by white space. Throws std::invalid_argument for what is no id.
std::vector<int32_t> parse_ids(std::string_view text);

}  // namespace mesita::tokenizer
