#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/checkpoint/manifest.h"
#include "training/data/token_array.h"
#include "training/data/token_documents.h"

namespace mesita::training {

// The files of a pack; PACK.md describes them.
inline constexpr const char* kPackFile = "pack.json";
inline constexpr const char* kPackedTokens = "tokens.bin";
inline constexpr const char* kPackedDocuments = "documents.bin";
inline constexpr const char* kPackedTokenizer = "tokenizer";

/// A file that was packed.
struct PackedInput {
  std::string file;        // absolute path
  uint64_t bytes = 0;      // of the file as it lies on the disk
  int64_t modified = 0;    // nanoseconds since 1970
  int64_t documents = 0;   // packed
  int64_t empty = 0;       // documents without text, left out
  int64_t malformed = 0;   // records that are no document, left out
  bool truncated = false;  // the file ended inside; what came before was packed
  bool operator==(const PackedInput&) const = default;
};

/// What pack.json says.
struct PackInfo {
  TokenType type = TokenType::uint16;  // uint16 or uint32
  int64_t tokens = 0;
  int64_t documents = 0;
  std::vector<DocumentSet> sets;
  int64_t vocabulary = 0;
  std::string tokenizer_hash;  // Tokenizer::hash
  DocumentMarks marks;
  std::vector<PackedInput> inputs;
  std::map<std::string, checkpoint::Part> files;  // by path in the pack; empty until it is finished
  bool operator==(const PackInfo&) const = default;
};

/// How far packing has come: `taken` documents of inputs[input] were read.
struct PackPlace {
  size_t input = 0;
  int64_t taken = 0;
  bool operator==(const PackPlace&) const = default;
};

std::string pack_json(const PackInfo& info);
/// Throws std::runtime_error, beginning with `name`, for what pack_json does not write and for a
/// newer format.
PackInfo parse_pack(std::string_view text, const std::string& name);

std::string place_json(const PackPlace& place, const PackInfo& info);
/// Throws as parse_pack.
std::pair<PackPlace, PackInfo> parse_place(std::string_view text, const std::string& name);

/// A document in documents.bin. Its ids end where the next document's begin.
struct PackedDocument {
  uint64_t begin = 0;  // index of its first id in tokens.bin
  uint32_t bytes = 0;  // of its text
  uint32_t set = 0;    // number in PackInfo::sets
};
inline constexpr size_t kPackedDocumentBytes = 16;

void append_document(const PackedDocument& document, std::vector<std::byte>& bytes);
/// The document at `index` of the file's bytes.
PackedDocument packed_document(std::span<const std::byte> bytes, int64_t index);

}  // namespace mesita::training
