#include "training/data/text_documents.h"

#include <stdexcept>
#include <string>

#include "tokenizer/corpus/documents.h"

namespace mesita::training {

DocumentMarks document_marks(const tokenizer::Tokenizer& tokenizer) {
  const DocumentMarks marks = {tokenizer.special_id("<s>"), tokenizer.special_id("</s>")};
  if (!marks.start && !marks.end) {
    throw std::invalid_argument(
        "the tokenizer has neither <s> nor </s>, so documents cannot be told apart");
  }
  return marks;
}

std::vector<int32_t> document_ids(std::string_view text, const tokenizer::Tokenizer& tokenizer,
                                  DocumentMarks marks) {
  const std::vector<int32_t> inside = tokenizer.encode(text);
  std::vector<int32_t> ids;
  ids.reserve(inside.size() + 2);
  if (marks.start) ids.push_back(*marks.start);
  ids.insert(ids.end(), inside.begin(), inside.end());
  if (marks.end) ids.push_back(*marks.end);
  return ids;
}

std::unique_ptr<DocumentList> read_text_documents(const std::filesystem::path& file,
                                                  const tokenizer::Tokenizer& tokenizer) {
  const DocumentMarks marks = document_marks(tokenizer);
  auto result = std::make_unique<DocumentList>(marks);
  const auto reader = corpus::open_documents(file);
  corpus::Document document;
  while (reader->next(document)) {
    try {
      result->add(document_ids(document.text, tokenizer, marks),
                  static_cast<int64_t>(document.text.size()), document.set);
    } catch (const std::invalid_argument& error) {
      throw std::runtime_error(file.string() + ", line " + std::to_string(document.line) + ": " +
                               error.what());
    }
  }
  if (result->count() == 0)
    throw std::runtime_error(file.string() + " holds no document with text");
  return result;
}

}  // namespace mesita::training
