#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/files.h"
#include "tests/support/temporary_directory.h"
#include "tokenizer/corpus/documents.h"

namespace mesita::testing {

/// What open_documents gives of a file.
struct ReadCorpus {
  std::vector<corpus::Document> documents;
  corpus::ReadCounts counts;
  std::vector<std::string> reports;
  uint64_t bytes_read = 0;

  std::vector<std::string> texts() const {
    std::vector<std::string> result;
    for (const corpus::Document& document : documents) result.push_back(document.text);
    return result;
  }
};

inline ReadCorpus read_corpus_file(const std::filesystem::path& file,
                                   corpus::ReadOptions options = {}) {
  ReadCorpus result;
  options.report = [&](const std::string& message) { result.reports.push_back(message); };
  const auto reader = corpus::open_documents(file, options);
  for (corpus::Document document; reader->next(document);) result.documents.push_back(document);
  corpus::Document behind;
  if (reader->next(behind)) throw std::logic_error("there is a document behind the end");
  result.counts = reader->counts();
  result.bytes_read = reader->bytes_read();
  return result;
}

/// Of a new file with this name and content.
inline ReadCorpus read_corpus(const std::string& name, const std::string& content,
                              corpus::ReadOptions options = {}) {
  static const TemporaryDirectory folder;  // one, since making them takes the time
  write_file(folder / name, content);
  return read_corpus_file(folder / name, std::move(options));
}

/// As above, with Malformed::skip.
inline ReadCorpus skim_corpus(const std::string& name, const std::string& content,
                              size_t largest = size_t{1} << 30) {
  return read_corpus(name, content,
                     {.malformed = corpus::Malformed::skip, .largest = largest, .report = {}});
}

/// Whether `some` are the first of `all`.
inline bool is_beginning(const std::vector<std::string>& some,
                         const std::vector<std::string>& all) {
  return some.size() <= all.size() && std::equal(some.begin(), some.end(), all.begin());
}

}  // namespace mesita::testing
