#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "tokenizer/corpus/documents.h"

namespace mesita::corpus {

/// The line that stands between stories in TinyStories' text files.
inline constexpr std::string_view kStoryMarker = "<|endoftext|>";

/// Documents of a text file in TinyStories' format: stories separated by lines that hold nothing
/// but the marker (blanks around it allowed). A file without markers is one document. Line ends
/// CRLF become LF, a byte order mark at the beginning of the file is dropped, blank lines around a
/// story and the end of its last line do not belong to it; all else is kept byte for byte. A marker
/// inside a line is text.
class StoryReader final : public DocumentReader {
 public:
  /// Largest document, in bytes: longer ones are an error, since each is held in memory whole.
  static constexpr size_t kLargestDocument = size_t{1} << 30;

  /// Throws std::runtime_error when the file cannot be opened. `largest` is for tests.
  explicit StoryReader(const std::filesystem::path& file, InvalidText invalid = InvalidText::fail,
                       size_t largest = kLargestDocument);

  bool next(Document& document) override;
  const ReadCounts& counts() const override { return counts_; }

 private:
  enum class Line { text, marker, end };
  Line read_line();
  bool read_to_newline();
  bool read_document(Document& document);
  bool accept(Document& document);
  [[noreturn]] void fail_too_large(uint64_t line) const;

  std::filesystem::path file_;
  std::ifstream stream_;
  InvalidText invalid_;
  size_t largest_;
  ReadCounts counts_;
  std::string buffer_;        // bytes of the file that were read ahead
  size_t used_ = 0;           // of them
  std::string line_;          // present line with its LF
  uint64_t line_offset_ = 0;  // its first byte in the file
  uint64_t line_number_ = 0;  // counted from 1
  uint64_t next_offset_ = 0;  // first byte behind it
  bool ended_ = false;
};

}  // namespace mesita::corpus
