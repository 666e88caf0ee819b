#pragma once

#include <memory>

#include "tokenizer/corpus/byte_source.h"
#include "tokenizer/corpus/documents.h"
#include "tokenizer/corpus/json_record.h"
#include "tokenizer/corpus/line_reader.h"
#include "tokenizer/corpus/read_tally.h"

namespace mesita::corpus {

/// Documents of JSON lines, such as the Pile's: a record (JsonRecordParser) a line. Blank lines are
/// nothing. Texts are kept byte for byte. A last line without LF that is not whole JSON is the
/// truncated end of the file.
class JsonLinesReader final : public DocumentReader {
 public:
  explicit JsonLinesReader(std::unique_ptr<ByteSource> source, const ReadOptions& options = {});

  bool next(Document& document) override;
  const ReadCounts& counts() const override { return tally_.counts(); }
  uint64_t bytes_read() const override { return source_->bytes_read(); }

 private:
  bool accept(Document& document);
  void end(const std::string& defect);

  std::unique_ptr<ByteSource> source_;
  ReadTally tally_;
  JsonRecordParser parser_;
  LineReader lines_;
  uint64_t records_ = 0;
  bool ended_ = false;
};

}  // namespace mesita::corpus
