#include "training/data/token_pack.h"

#include <stdexcept>

#include "model/checkpoint/readable_file.h"
#include "model/checkpoint/sha256.h"

namespace mesita::training {
namespace fs = std::filesystem;
namespace {

constexpr uint64_t kLargestInfo = uint64_t{64} << 20;

[[noreturn]] void refuse_pack(const fs::path& path, const std::string& reason) {
  throw std::runtime_error(path.string() + ": " + reason + "; pack the texts again");
}

void check_part(const fs::path& folder, const std::string& name, const checkpoint::Part& part) {
  const checkpoint::ReadableFile file(folder / name);
  if (file.size() != part.bytes) {
    refuse_pack(folder / name, "has " + std::to_string(file.size()) + " bytes, but " + kPackFile +
                                   " says " + std::to_string(part.bytes));
  }
  if (checkpoint::sha256(file) != part.sha256) refuse_pack(folder / name, "its content is damaged");
}

}  // namespace

bool TokenPack::is_pack(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path / kPackFile, ignored);
}

TokenPack::TokenPack(const fs::path& folder) : folder_(folder) {
  const checkpoint::ReadableFile file(folder / kPackFile);
  info_ = parse_pack(file.read_all(kLargestInfo), file.name());
  for (const char* name : {kPackedTokens, kPackedDocuments}) {
    if (!info_.files.contains(name))
      refuse_pack(folder / kPackFile, std::string("lists no ") + name);
  }
  for (const auto& [name, part] : info_.files) check_part(folder, name, part);
  tokens_file_ = std::make_unique<MappedFile>(folder / kPackedTokens);
  documents_file_ = std::make_unique<MappedFile>(folder / kPackedDocuments);
  tokens_ = TokenArray(tokens_file_->bytes(), info_.type);
  check_documents();
}

// The hashes tell that nobody changed the files since; this, that they say the same.
void TokenPack::check_documents() const {
  const auto expected = static_cast<uint64_t>(info_.documents) * kPackedDocumentBytes;
  if (documents_file_->bytes().size() != expected || tokens_.size() != info_.tokens)
    refuse_pack(folder_ / kPackFile, "counts other documents or tokens than the files hold");
  uint64_t before = 0;
  for (int64_t i = 0; i < info_.documents; ++i) {
    const PackedDocument found = document(i);
    const bool in_order = i == 0 ? found.begin == 0 : found.begin > before;
    if (!in_order || found.begin >= static_cast<uint64_t>(info_.tokens) ||
        found.set >= info_.sets.size())
      refuse_pack(folder_ / kPackedDocuments, "document " + std::to_string(i) + " lies nowhere");
    before = found.begin;
  }
  const int64_t outside = tokens_.first_outside(info_.vocabulary);
  if (outside < tokens_.size())
    refuse_pack(folder_ / kPackedTokens, "holds an id that its tokenizer does not have");
}

std::unique_ptr<tokenizer::Tokenizer> TokenPack::tokenizer() const {
  auto tokenizer = tokenizer::load_tokenizer(folder_ / kPackedTokenizer);
  if (tokenizer->hash() != info_.tokenizer_hash)
    refuse_pack(folder_ / kPackedTokenizer, "is another tokenizer than the one that made the ids");
  return tokenizer;
}

PackedDocument TokenPack::document(int64_t number) const {
  return packed_document(documents_file_->bytes(), number);
}

void TokenPack::read(int64_t number, std::vector<int32_t>& ids) const {
  if (number < 0 || number >= count()) throw std::out_of_range("document");
  const auto begin = static_cast<int64_t>(document(number).begin);
  const auto end =
      number + 1 < count() ? static_cast<int64_t>(document(number + 1).begin) : info_.tokens;
  tokens_.read(begin, end, ids);
}

std::optional<int64_t> TokenPack::bytes(int64_t number) const {
  return document(number).bytes;
}

size_t TokenPack::set_of(int64_t number) const {
  return document(number).set;
}

std::string TokenPack::hash() const {
  return checkpoint::sha256(info_.files.at(kPackedTokens).sha256 +
                            info_.files.at(kPackedDocuments).sha256);
}

}  // namespace mesita::training
