#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "tokenizer/corpus/documents.h"

namespace mesita::corpus {

/// "the document has more than N bytes", where `largest` is N.
std::string too_large_text(size_t largest);

/// Counts what a reader finds, and fails or reports as its options say.
class ReadTally {
 public:
  ReadTally(std::filesystem::path file, ReadOptions options);

  void add_document(const Document& document);
  void add_empty() { ++counts_.empty; }
  /// Throws std::runtime_error "file:line: reason" with Malformed::fail.
  void add_malformed(uint64_t line, const std::string& reason);
  /// Throws as well. The caller ends itself before, so that the end stays the end.
  void add_truncated(uint64_t line, const std::string& reason);

  const ReadCounts& counts() const { return counts_; }
  size_t largest() const { return options_.largest; }
  /// What add_malformed() says of a document over the limit.
  std::string too_large() const { return too_large_text(options_.largest); }

 private:
  void fail_or_report(uint64_t line, const std::string& reason) const;

  std::filesystem::path file_;
  ReadOptions options_;
  ReadCounts counts_;
};

}  // namespace mesita::corpus
