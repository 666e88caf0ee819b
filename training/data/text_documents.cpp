#include "training/data/text_documents.h"

#include <stdexcept>
#include <string>

#include "tokenizer/corpus/documents.h"

namespace mesita::training {

TokenDocuments read_text_documents(const std::filesystem::path& file,
                                   const tokenizer::Tokenizer& tokenizer) {
  TokenDocuments result;
  result.start = tokenizer.special_id("<s>");
  result.end = tokenizer.special_id("</s>");
  if (!result.start && !result.end)
    throw std::invalid_argument(
        "the tokenizer has neither <s> nor </s>, so documents cannot be told apart");
  const auto reader = corpus::open_documents(file);
  corpus::Document document;
  while (reader->next(document)) {
    std::vector<int32_t> ids;
    if (result.start) ids.push_back(*result.start);
    try {
      const auto text = tokenizer.encode(document.text);
      ids.insert(ids.end(), text.begin(), text.end());
    } catch (const std::invalid_argument& error) {
      throw std::runtime_error(file.string() + ", line " + std::to_string(document.line) + ": " +
                               error.what());
    }
    if (result.end) ids.push_back(*result.end);
    result.tokens += static_cast<int64_t>(ids.size());
    result.documents.push_back(std::move(ids));
  }
  if (result.documents.empty())
    throw std::runtime_error(file.string() + " holds no document with text");
  return result;
}

std::vector<int32_t> token_bytes(const tokenizer::Tokenizer& tokenizer) {
  std::vector<int32_t> bytes;
  for (int32_t id = 0; id < tokenizer.size(); ++id) {
    bytes.push_back(
        static_cast<int32_t>(tokenizer.bytes_of(id, tokenizer::Tokenizer::Place::inside).size()));
  }
  return bytes;
}

}  // namespace mesita::training
