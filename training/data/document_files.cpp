#include "training/data/document_files.h"

#include <stdexcept>

#include "training/data/text_documents.h"
#include "training/data/token_file.h"
#include "training/data/token_pack.h"

namespace mesita::training {
namespace fs = std::filesystem;

std::unique_ptr<tokenizer::Tokenizer> find_tokenizer(const RunConfig& config) {
  if (!config.data.tokenizer.empty()) return tokenizer::load_tokenizer(config.data.tokenizer);
  bool only_tokens = true;
  for (const std::string& file : config.data.train) {
    if (TokenPack::is_pack(file))
      return tokenizer::load_tokenizer(fs::path(file) / kPackedTokenizer);
    only_tokens = only_tokens && TokenFile::is_token_file(file);
  }
  if (!only_tokens) throw std::invalid_argument("data.tokenizer is needed to read texts");
  if (config.model.vocabulary == 0) {
    throw std::invalid_argument(
        "token files do not say how many ids there are: give model.vocabulary or data.tokenizer");
  }
  return tokenizer::make_idless_tokenizer(config.model.vocabulary);
}

std::unique_ptr<TokenDocuments> DocumentFiles::read_one(const fs::path& file) const {
  if (TokenPack::is_pack(file)) {
    auto pack = std::make_unique<TokenPack>(file);
    if (pack->info().tokenizer_hash != tokenizer_.hash()) {
      throw std::runtime_error(file.string() + " was packed with another tokenizer (hash " +
                               pack->info().tokenizer_hash.substr(0, 12) + ", this run's is " +
                               tokenizer_.hash().substr(0, 12) + "); pack it again with this one");
    }
    return pack;
  }
  if (TokenFile::is_token_file(file)) {
    const auto separator =
        separator_ < 0 ? std::nullopt : std::optional(static_cast<int32_t>(separator_));
    return std::make_unique<TokenFile>(file, tokenizer_.size(), separator);
  }
  return read_text_documents(file, tokenizer_);
}

std::unique_ptr<TokenDocuments> DocumentFiles::read(const std::vector<std::string>& files) const {
  std::vector<std::unique_ptr<TokenDocuments>> parts;
  for (const std::string& file : files) parts.push_back(read_one(file));
  if (parts.size() == 1) return std::move(parts.front());
  return std::make_unique<JoinedDocuments>(std::move(parts));
}

}  // namespace mesita::training
