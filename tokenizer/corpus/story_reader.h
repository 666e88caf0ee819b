#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tokenizer/corpus/byte_source.h"
#include "tokenizer/corpus/documents.h"
#include "tokenizer/corpus/line_reader.h"
#include "tokenizer/corpus/read_tally.h"

namespace mesita::corpus {

/// The line that stands between stories in TinyStories' text files.
inline constexpr std::string_view kStoryMarker = "<|endoftext|>";

/// Documents of a text in TinyStories' format: stories separated by lines that hold nothing but the
/// marker (blanks around it allowed). A file without markers is one document. Line ends CRLF become
/// LF, a byte order mark at the beginning of the file is dropped, blank lines around a story and
/// the end of its last line do not belong to it; all else is kept byte for byte. A marker inside a
/// line is text. Of a truncated archive the story that was cut is not given.
class StoryReader final : public DocumentReader {
 public:
  explicit StoryReader(std::unique_ptr<ByteSource> source, const ReadOptions& options = {});

  bool next(Document& document) override;
  const ReadCounts& counts() const override { return tally_.counts(); }
  uint64_t bytes_read() const override { return source_->bytes_read(); }

 private:
  bool read_document(Document& document);
  bool add_line(Document& document);
  bool accept(Document& document);

  std::unique_ptr<ByteSource> source_;
  ReadTally tally_;
  LineReader lines_;
  size_t text_end_ = 0;     // of the present document: behind the last line that is not blank
  bool too_large_ = false;  // the present document is
  uint64_t records_ = 0;
  bool ended_ = false;
};

}  // namespace mesita::corpus
