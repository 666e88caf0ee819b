#pragma once

#include <memory>
#include <string>

#include "tokenizer/corpus/documents.h"

namespace mesita::corpus {

/// Reads the JSON objects that corpora consist of: "text" (or else "story") is the document, and
/// "meta": {"pile_set_name": ...}, where meta may be a string that holds the object, names its
/// set. All other members are ignored. Numbers that fit into neither 64 bits nor a double are
/// refused, also in these.
class JsonRecordParser {
 public:
  /// Documents of more than `largest` bytes are malformed.
  explicit JsonRecordParser(size_t largest);
  ~JsonRecordParser();

  /// Bytes that a record may have: the document's and some for what surrounds it.
  size_t longest_record() const { return longest_record_; }

  enum class Result {
    document,
    empty,      // its text is nothing or blank
    malformed,  // reason() says why
    no_json,    // also malformed, and perhaps only the beginning of a record
  };
  /// Fills text and set. Reserves a few bytes behind `record`, does not change it.
  Result parse(std::string& record, Document& document);
  const std::string& reason() const { return reason_; }

 private:
  struct Parsers;
  std::unique_ptr<Parsers> parsers_;
  size_t largest_;
  size_t longest_record_;
  std::string reason_;
};

}  // namespace mesita::corpus
