#include "tokenizer/corpus/read_tally.h"

#include <stdexcept>
#include <utility>

namespace mesita::corpus {

std::string too_large_text(size_t largest) {
  return "the document has more than " + std::to_string(largest) + " bytes";
}

ReadTally::ReadTally(std::filesystem::path file, ReadOptions options)
    : file_(std::move(file)), options_(std::move(options)) {}

void ReadTally::add_document(const Document& document) {
  ++counts_.documents;
  counts_.bytes += static_cast<int64_t>(document.text.size());
}

void ReadTally::add_malformed(uint64_t line, const std::string& reason) {
  ++counts_.malformed;
  fail_or_report(line, reason);
}

void ReadTally::add_truncated(uint64_t line, const std::string& reason) {
  ++counts_.truncated;
  fail_or_report(line, "truncated or damaged, what came before was given: " + reason);
}

void ReadTally::fail_or_report(uint64_t line, const std::string& reason) const {
  const std::string message = file_.string() + ":" + std::to_string(line) + ": " + reason;
  if (options_.malformed == Malformed::fail) throw std::runtime_error(message);
  if (options_.report) options_.report(message);
}

}  // namespace mesita::corpus
