#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "training/data/mapped_file.h"
#include "training/data/token_array.h"
#include "training/data/token_documents.h"

namespace mesita::training {

/// Token files of other programs, known by their content:
///   Megatron, GPT-NeoX  PREFIX.bin with PREFIX.idx (MMIDIDX version 1); either name is given
///   llm.c               256 int32 of head (magic 20240520: uint16, 20240801: uint32), then ids
///   nanoGPT             uint16 without a head
/// Documents are those of the .idx file; else what the separator ends, where there is one; else
/// pieces of kPiece ids, which are shuffled as documents are.
class TokenFile final : public TokenDocuments {
 public:
  static constexpr int64_t kPiece = 65536;

  /// True for names that end in .bin or .idx.
  static bool is_token_file(const std::filesystem::path& path);

  /// `vocabulary`: number of ids of the model. `separator`: the id that stands between documents
  /// and ends them. Reads every byte once. Throws std::runtime_error with file and reason: cut or
  /// damaged, of another kind, an id outside the vocabulary.
  TokenFile(const std::filesystem::path& path, int64_t vocabulary,
            std::optional<int32_t> separator);

  int64_t count() const override { return static_cast<int64_t>(begins_.size()) - 1; }
  void read(int64_t document, std::vector<int32_t>& ids) const override;
  std::optional<int64_t> bytes(int64_t) const override { return std::nullopt; }
  size_t set_of(int64_t) const override { return 0; }
  const std::vector<DocumentSet>& sets() const override { return sets_; }
  DocumentMarks marks() const override { return {.start = {}, .end = separator_}; }
  std::string hash() const override;

 private:
  void read_index(const std::filesystem::path& index);
  void read_head();
  void find_documents();

  std::unique_ptr<MappedFile> file_;
  TokenArray tokens_;
  std::optional<int32_t> separator_;
  std::vector<int64_t> begins_;  // [documents + 1]
  std::vector<DocumentSet> sets_;
};

}  // namespace mesita::training
