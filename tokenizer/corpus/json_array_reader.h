#pragma once

#include <memory>
#include <string>

#include "tokenizer/corpus/byte_source.h"
#include "tokenizer/corpus/documents.h"
#include "tokenizer/corpus/json_record.h"
#include "tokenizer/corpus/read_tally.h"

namespace mesita::corpus {

/// Documents of one JSON array of records (JsonRecordParser), such as TinyStories' shards, read
/// element by element in constant memory. Blank lines around a text do not belong to it. An array
/// without its closing bracket is truncated.
class JsonArrayReader final : public DocumentReader {
 public:
  explicit JsonArrayReader(std::unique_ptr<ByteSource> source, const ReadOptions& options = {});

  bool next(Document& document) override;
  const ReadCounts& counts() const override { return tally_.counts(); }
  uint64_t bytes_read() const override { return source_->bytes_read(); }

 private:
  enum class Place { before_array, first_element, element, behind_element, behind_array };
  enum class Scan { element, too_large, end };

  Scan next_element();
  Scan scan_value();
  bool skip_blanks();
  bool available();
  size_t value_end(size_t begin);
  Scan truncated();
  bool accept(Document& document);

  std::unique_ptr<ByteSource> source_;
  ReadTally tally_;
  JsonRecordParser parser_;
  std::string buffer_;
  size_t used_ = 0;    // of buffer_
  uint64_t line_ = 1;  // of the next byte
  Place place_ = Place::before_array;
  uint64_t records_ = 0;
  bool ended_ = false;

  // The element being read.
  std::string element_;
  uint64_t element_line_ = 1;
  size_t depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
  bool complete_ = false;
};

}  // namespace mesita::corpus
