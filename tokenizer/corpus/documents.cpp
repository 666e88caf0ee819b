#include "tokenizer/corpus/documents.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

#include "tokenizer/corpus/story_reader.h"

namespace mesita::corpus {

std::unique_ptr<DocumentReader> open_documents(const std::filesystem::path& file,
                                               InvalidText invalid) {
  // Read as text, these would give documents of markup or noise.
  constexpr std::array<std::string_view, 11> kNotText = {".json",    ".jsonl", ".ndjson", ".gz",
                                                         ".zst",     ".xz",    ".bz2",    ".zip",
                                                         ".parquet", ".bin",   ".npy"};
  const std::string ending = file.extension().string();
  if (std::find(kNotText.begin(), kNotText.end(), ending) != kNotText.end()) {
    throw std::invalid_argument(file.string() + ": documents are read from plain text, not from " +
                                ending +
                                " files; convert it to text with a line <|endoftext|> "
                                "between documents");
  }
  return std::make_unique<StoryReader>(file, invalid);
}

}  // namespace mesita::corpus
