#pragma once

#include <filesystem>
#include <memory>

#include "tokenizer/tokenizer.h"
#include "training/data/mapped_file.h"
#include "training/data/pack_format.h"

namespace mesita::training {

/// Documents that `mesita pack` wrote, mapped into memory.
class TokenPack final : public TokenDocuments {
 public:
  /// True for a folder that holds a pack, or says that it does.
  static bool is_pack(const std::filesystem::path& path);

  /// Reads every byte once and checks it: sizes and hashes of the files, and that the documents lie
  /// one after the other. Throws std::runtime_error with file and reason.
  explicit TokenPack(const std::filesystem::path& folder);

  const PackInfo& info() const { return info_; }
  std::unique_ptr<tokenizer::Tokenizer> tokenizer() const;

  int64_t count() const override { return info_.documents; }
  void read(int64_t document, std::vector<int32_t>& ids) const override;
  std::optional<int64_t> bytes(int64_t document) const override;
  size_t set_of(int64_t document) const override;
  const std::vector<DocumentSet>& sets() const override { return info_.sets; }
  DocumentMarks marks() const override { return info_.marks; }
  std::string hash() const override;

 private:
  PackedDocument document(int64_t number) const;
  void check_documents() const;

  std::filesystem::path folder_;
  PackInfo info_;
  std::unique_ptr<MappedFile> tokens_file_, documents_file_;
  TokenArray tokens_;
};

}  // namespace mesita::training
