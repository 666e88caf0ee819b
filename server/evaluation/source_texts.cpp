#include "server/evaluation/source_texts.h"

#include <limits>
#include <stdexcept>
#include <utility>

#include "tokenizer/corpus/documents.h"

namespace mesita::evaluation {

std::vector<SourceText> read_source_texts(const std::vector<std::filesystem::path>& files,
                                          std::optional<int64_t> limit) {
  const auto most = static_cast<size_t>(limit.value_or(std::numeric_limits<int64_t>::max()));
  std::vector<SourceText> texts;
  std::string names;
  for (const std::filesystem::path& file : files) {
    names += (names.empty() ? "" : ", ") + file.string();
    const auto reader = corpus::open_documents(file);
    corpus::Document document;
    while (texts.size() < most && reader->next(document)) {
      texts.push_back(
          {std::move(document.text), file.string() + ":" + std::to_string(document.line)});
    }
  }
  if (texts.empty()) throw std::runtime_error("there is no text in " + names);
  return texts;
}

}  // namespace mesita::evaluation
