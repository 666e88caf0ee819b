#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace mesita::corpus {

/// One text of a corpus, and where it stands in its file.
struct Document {
  std::string text;     // valid UTF-8, not empty
  uint64_t offset = 0;  // of its first byte in the file
  uint64_t line = 1;    // of its first byte, counted from 1
};

/// What a reader gave and what it left out so far.
struct ReadCounts {
  int64_t documents = 0;
  int64_t bytes = 0;    // of their texts
  int64_t empty = 0;    // documents without text, dropped
  int64_t invalid = 0;  // documents that are not UTF-8, dropped (InvalidText::skip)
};

/// What to do with a document that is not valid UTF-8.
enum class InvalidText { fail, skip };

/// The documents of one file, in order. Holds one document in memory at a time.
class DocumentReader {
 public:
  virtual ~DocumentReader() = default;

  /// Fills `document`; false at the end. Throws std::runtime_error that names file and line when
  /// the file cannot be read or a document is unfit.
  virtual bool next(Document& document) = 0;
  virtual const ReadCounts& counts() const = 0;
};

/// Opens a file by the format that its name ends in; at present every file is plain text, read by
/// StoryReader. Throws std::invalid_argument for endings of formats that are not text (.json,
/// .jsonl, .gz, .zst, .bin, ...), std::runtime_error when the file cannot be opened.
std::unique_ptr<DocumentReader> open_documents(const std::filesystem::path& file,
                                               InvalidText invalid = InvalidText::fail);

}  // namespace mesita::corpus
