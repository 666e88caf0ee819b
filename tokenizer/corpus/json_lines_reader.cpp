#include "tokenizer/corpus/json_lines_reader.h"

#include <utility>

namespace mesita::corpus {

JsonLinesReader::JsonLinesReader(std::unique_ptr<ByteSource> source, const ReadOptions& options)
    : source_(std::move(source)),
      tally_(source_->file(), options),
      parser_(options.largest),
      lines_(*source_, parser_.longest_record()) {}

bool JsonLinesReader::next(Document& document) {
  while (!ended_) {
    const LineReader::Result result = lines_.next();
    if (result == LineReader::Result::end) {
      end("");
    } else if (result == LineReader::Result::too_long) {
      ++records_;
      tally_.add_malformed(lines_.number(), tally_.too_large());
    } else if (lines_.text().find_first_not_of(" \t\r") != std::string::npos && accept(document)) {
      return true;
    }
  }
  return false;
}

bool JsonLinesReader::accept(Document& document) {
  document.line = lines_.number();
  document.record = records_++;
  switch (parser_.parse(lines_.text(), document)) {
    case JsonRecordParser::Result::document:
      tally_.add_document(document);
      return true;
    case JsonRecordParser::Result::empty:
      tally_.add_empty();
      return false;
    case JsonRecordParser::Result::no_json:
      if (!lines_.closed()) {
        end("the last line is not whole: " + parser_.reason());
        return false;
      }
      [[fallthrough]];
    case JsonRecordParser::Result::malformed:
      tally_.add_malformed(document.line, parser_.reason());
  }
  return false;
}

void JsonLinesReader::end(const std::string& defect) {
  ended_ = true;
  const std::string& reason = source_->damage().empty() ? defect : source_->damage();
  if (!reason.empty()) tally_.add_truncated(lines_.number(), reason);
}

}  // namespace mesita::corpus
