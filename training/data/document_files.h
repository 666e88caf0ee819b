#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tokenizer/tokenizer.h"
#include "training/data/token_documents.h"
#include "training/run_config.h"

namespace mesita::training {

/// The tokenizer that the config names; else that of its first pack; else, for token files alone,
/// one without text and with as many ids as the model. Throws std::invalid_argument when there is
/// none to be found, and what load_tokenizer throws.
std::unique_ptr<tokenizer::Tokenizer> find_tokenizer(const RunConfig& config);

/// Reads documents from whatever holds them: texts, packs, token files of other programs.
class DocumentFiles {
 public:
  /// `separator`: RunConfig::Data::separator. The tokenizer must outlive this.
  DocumentFiles(const tokenizer::Tokenizer& tokenizer, int64_t separator)
      : tokenizer_(tokenizer), separator_(separator) {}

  /// All documents of the files, in order. Throws std::runtime_error for a pack that another
  /// tokenizer made, and what the readers throw.
  std::unique_ptr<TokenDocuments> read(const std::vector<std::string>& files) const;

 private:
  std::unique_ptr<TokenDocuments> read_one(const std::filesystem::path& file) const;

  const tokenizer::Tokenizer& tokenizer_;
  int64_t separator_;
};

}  // namespace mesita::training
