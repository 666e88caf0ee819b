#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace mesita::corpus {

/// One text of a corpus, and where it stands in its file.
struct Document {
  std::string text;     // valid UTF-8, not empty
  std::string set;      // name of its source set (the Pile's meta.pile_set_name), "" without one
  uint64_t line = 1;    // of its first byte in the unpacked file, counted from 1
  uint64_t record = 0;  // its number in the file, counted from 0, dropped ones included
};

/// What a reader gave and what it left out so far.
struct ReadCounts {
  int64_t documents = 0;
  int64_t bytes = 0;      // of their texts
  int64_t empty = 0;      // documents without text, dropped
  int64_t malformed = 0;  // records that are no document, dropped (Malformed::skip)
  int64_t truncated = 0;  // files that ended or were damaged inside; what came before was given
};

/// What to do with a record that is no document (not JSON, without text, not valid UTF-8, too
/// large), and with a file that is truncated or damaged from some byte on.
enum class Malformed { fail, skip };

/// How files are read.
struct ReadOptions {
  Malformed malformed = Malformed::fail;
  size_t largest = size_t{1} << 30;  // bytes of the largest document; longer ones are malformed
  /// Hears of everything that is skipped: "file:line: reason".
  std::function<void(const std::string&)> report = {};
};

/// The documents of one file, in order. Holds one document in memory at a time.
class DocumentReader {
 public:
  virtual ~DocumentReader() = default;

  /// Fills `document`; false at the end. Throws std::runtime_error that names file and line when
  /// the file cannot be read, and with Malformed::fail at the first malformed record; a truncated
  /// file then fails after its last whole record was given.
  virtual bool next(Document& document) = 0;
  virtual const ReadCounts& counts() const = 0;
  /// Bytes of the file as it lies on the disk that were read so far, for progress.
  virtual uint64_t bytes_read() const = 0;
};

/// Opens a file by what it is: first packed or not (gzip and zstd are known by their first bytes,
/// whatever the name says), then by the ending of the name without .gz or .zst:
///   .jsonl .ndjson  one JSON object a line with a "text" (the Pile; "story" also counts)
///   .json           one JSON array of objects with a "story" or "text" (TinyStories' shards)
///   others          plain text, stories divided by <|endoftext|> lines (StoryReader)
/// Throws std::invalid_argument for what holds no documents (.parquet with a hint what to do, token
/// files, archives of several files), std::runtime_error when the file cannot be opened or is a
/// pointer of git-lfs or git-annex instead of the file.
std::unique_ptr<DocumentReader> open_documents(const std::filesystem::path& file,
                                               const ReadOptions& options = {});

}  // namespace mesita::corpus
