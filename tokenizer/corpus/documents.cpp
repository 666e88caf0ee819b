#include "tokenizer/corpus/documents.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>

#include "tokenizer/corpus/byte_source.h"
#include "tokenizer/corpus/foreign_formats.h"
#include "tokenizer/corpus/json_array_reader.h"
#include "tokenizer/corpus/json_lines_reader.h"
#include "tokenizer/corpus/story_reader.h"

namespace mesita::corpus {
namespace {

std::string ending_of(const std::filesystem::path& file) {
  std::string ending = file.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending;
}

std::string unpacked_ending(const std::filesystem::path& file) {
  const std::string ending = ending_of(file);
  return ending == ".gz" || ending == ".zst" ? ending_of(file.stem()) : ending;
}

/// Some name JSON lines .json; an array never begins with a brace.
bool begins_with_brace(ByteSource& source) {
  constexpr size_t kBeginning = 64;
  const std::string_view head = source.peek(kBeginning);
  const size_t first = head.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  return first != std::string_view::npos && head[first] == '{';
}

}  // namespace

std::unique_ptr<DocumentReader> open_documents(const std::filesystem::path& file,
                                               const ReadOptions& options) {
  auto source = open_bytes(file);
  const std::string ending = unpacked_ending(file);
  refuse_foreign_formats(*source, ending);
  if (ending == ".jsonl" || ending == ".ndjson" ||
      (ending == ".json" && begins_with_brace(*source))) {
    return std::make_unique<JsonLinesReader>(std::move(source), options);
  }
  if (ending == ".json") return std::make_unique<JsonArrayReader>(std::move(source), options);
  return std::make_unique<StoryReader>(std::move(source), options);
}

}  // namespace mesita::corpus
