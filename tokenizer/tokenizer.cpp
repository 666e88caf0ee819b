#include "tokenizer/tokenizer.h"

#include <stdexcept>

#include "tokenizer/definition_file.h"
#include "tokenizer/idless_tokenizer.h"
#include "tokenizer/incremental_decoder.h"
#include "tokenizer/sentencepiece_tokenizer.h"
#include "tokenizer/symbol_tokenizer.h"

namespace mesita::tokenizer {
namespace fs = std::filesystem;

std::string Tokenizer::decode(const std::vector<int32_t>& ids, Specials specials) const {
  IncrementalDecoder decoder(*this, Place::start, specials);
  std::string text;
  for (const int32_t id : ids) text += decoder.push(id);
  return text + decoder.finish();
}

void Tokenizer::require_id(int64_t id, int64_t size) {
  if (id >= 0 && id < size) return;
  throw std::invalid_argument("token id " + std::to_string(id) +
                              " is outside the vocabulary: valid ids are 0 .. " +
                              std::to_string(size - 1));
}

std::unique_ptr<Tokenizer> load_tokenizer(const fs::path& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    throw std::runtime_error(path.string() + ": no such tokenizer folder or .model file");
  }
  fs::path file = path;
  if (fs::is_directory(path, ignored)) {
    // A checkpoint folder keeps its tokenizer one level below.
    const fs::path inner = path / "tokenizer";
    file = find_definition(fs::is_directory(inner, ignored) ? inner : path);
  }
  if (file.filename() == kSymbolsFile) return load_symbol_tokenizer(file);
  if (file.filename() == kIdlessFile) return load_idless_tokenizer(file);
  return load_sentencepiece_tokenizer(file);
}

}  // namespace mesita::tokenizer
