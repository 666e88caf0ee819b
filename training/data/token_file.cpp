#include "training/data/token_file.h"

#include <array>
#include <cstring>
#include <stdexcept>
#include <string>

#include "model/checkpoint/sha256.h"

namespace mesita::training {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kMegatronMagic("MMIDIDX\0\0", 9);
constexpr size_t kMegatronHead = 9 + 8 + 1 + 8 + 8;
constexpr size_t kLlmcHead = 256 * sizeof(int32_t);

[[noreturn]] void refuse_tokens(const fs::path& path, const std::string& reason) {
  throw std::runtime_error(path.string() + ": " + reason);
}

template <typename Value>
Value value_at(std::span<const std::byte> bytes, size_t offset) {
  Value value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// numpy types as Megatron numbers them.
TokenType megatron_type(uint8_t code, const fs::path& path) {
  switch (code) {
    case 1:
      return TokenType::uint8;
    case 2:
      return TokenType::int8;
    case 3:
      return TokenType::int16;
    case 4:
      return TokenType::int32;
    case 5:
      return TokenType::int64;
    case 8:
      return TokenType::uint16;
    default:
      refuse_tokens(path,
                    "type code " + std::to_string(code) + " is none of whole numbers (1 to 5, 8)");
  }
}

fs::path with_extension(fs::path path, const char* extension) {
  return path.replace_extension(extension);
}

}  // namespace

bool TokenFile::is_token_file(const fs::path& path) {
  return path.extension() == ".bin" || path.extension() == ".idx";
}

TokenFile::TokenFile(const fs::path& path, int64_t vocabulary, std::optional<int32_t> separator)
    : file_(std::make_unique<MappedFile>(with_extension(path, ".bin"))), separator_(separator) {
  const fs::path index = with_extension(path, ".idx");
  if (path.extension() == ".idx" || fs::exists(index)) {
    read_index(index);
  } else {
    read_head();
    find_documents();
  }
  if (begins_.size() < 2) refuse_tokens(file_->path(), "holds no ids");
  const int64_t outside = tokens_.first_outside(vocabulary);
  if (outside < tokens_.size()) {
    refuse_tokens(file_->path(), "id number " + std::to_string(outside) + " is " +
                                     std::to_string(tokens_[outside]) +
                                     ", outside the model's vocabulary of " +
                                     std::to_string(vocabulary));
  }
  sets_ = {{.name = "", .documents = count(), .tokens = begins_.back() - begins_.front()}};
}

void TokenFile::read_head() {
  const std::span<const std::byte> bytes = file_->bytes();
  const int32_t magic = bytes.size() >= kLlmcHead ? value_at<int32_t>(bytes, 0) : 0;
  if (magic == 20240328 || magic == 20240522)
    refuse_tokens(file_->path(), "is llm.c's tokenizer or evaluation file, not one of tokens");
  if (magic != 20240520 && magic != 20240801) {
    tokens_ = TokenArray(bytes, TokenType::uint16);
    if (bytes.size() % 2 != 0)
      refuse_tokens(file_->path(),
                    "has an odd number of bytes: uint16 ids of nanoGPT are cut, or others");
    return;
  }
  const int32_t version = magic == 20240520 ? 1 : 7;
  if (value_at<int32_t>(bytes, 4) != version) {
    refuse_tokens(file_->path(), "is llm.c's version " +
                                     std::to_string(value_at<int32_t>(bytes, 4)) + ", known is " +
                                     std::to_string(version));
  }
  const TokenType type = magic == 20240520 ? TokenType::uint16 : TokenType::uint32;
  const auto said = static_cast<uint64_t>(value_at<uint32_t>(bytes, 8));
  if (bytes.size() != kLlmcHead + said * bytes_of(type)) {
    refuse_tokens(file_->path(),
                  "is cut or damaged: its head says " + std::to_string(said) + " ids, " +
                      std::to_string((bytes.size() - kLlmcHead) / bytes_of(type)) + " are there");
  }
  tokens_ = TokenArray(bytes.subspan(kLlmcHead), type);
}

void TokenFile::find_documents() {
  begins_ = {0};
  for (int64_t i = 0; i < tokens_.size(); ++i) {
    const bool ends = separator_ ? tokens_[i] == *separator_ : (i + 1) % kPiece == 0;
    if (ends || i + 1 == tokens_.size()) begins_.push_back(i + 1);
  }
}

void TokenFile::read_index(const fs::path& path) {
  const MappedFile index(path);
  const std::span<const std::byte> bytes = index.bytes();
  if (bytes.size() < kMegatronHead ||
      std::memcmp(bytes.data(), kMegatronMagic.data(), kMegatronMagic.size()) != 0)
    refuse_tokens(path, "is no index of Megatron or GPT-NeoX (MMIDIDX)");
  if (const auto version = value_at<uint64_t>(bytes, 9); version != 1)
    refuse_tokens(path, "is version " + std::to_string(version) + ", known is 1");
  const TokenType type = megatron_type(value_at<uint8_t>(bytes, 17), path);
  const auto sequences = value_at<uint64_t>(bytes, 18), marks = value_at<uint64_t>(bytes, 26);
  const size_t rest = bytes.size() - kMegatronHead;
  if (sequences > rest / 12 || marks > rest / 8 || rest != sequences * 12 + marks * 8)
    refuse_tokens(path, "is cut or damaged: its counts do not fit its size");
  tokens_ = TokenArray(file_->bytes(), type);
  const size_t sizes = kMegatronHead, pointers = sizes + sequences * 4,
               documents = pointers + sequences * 8;
  std::vector<int64_t> ends = {0};  // of the sequences, in ids
  for (size_t i = 0; i < sequences; ++i) {
    const auto size = value_at<int32_t>(bytes, sizes + i * 4);
    const auto pointer = value_at<int64_t>(bytes, pointers + i * 8);
    if (size < 0 || pointer != ends.back() * static_cast<int64_t>(bytes_of(type)))
      refuse_tokens(path, "sequence " + std::to_string(i) + " does not follow the one before");
    ends.push_back(ends.back() + size);
  }
  if (static_cast<uint64_t>(ends.back()) * bytes_of(type) != file_->bytes().size())
    refuse_tokens(file_->path(), "has another size than " + path.filename().string() + " says");
  begins_ = {0};
  for (size_t i = 0; i < marks; ++i) {
    const auto sequence = value_at<int64_t>(bytes, documents + i * 8);
    if (sequence < 0 || static_cast<uint64_t>(sequence) > sequences ||
        ends[static_cast<size_t>(sequence)] < begins_.back())
      refuse_tokens(path, "document " + std::to_string(i) + " begins nowhere");
    const int64_t begin = ends[static_cast<size_t>(sequence)];
    if (begin > begins_.back()) begins_.push_back(begin);  // documents without ids are left out
  }
  if (ends.back() > begins_.back()) begins_.push_back(ends.back());
}

void TokenFile::read(int64_t document, std::vector<int32_t>& ids) const {
  const auto number = static_cast<size_t>(document);
  tokens_.read(begins_.at(number), begins_.at(number + 1), ids);
}

std::string TokenFile::hash() const {
  checkpoint::Sha256 hash;
  hash.update(file_->bytes());
  hash.update(std::as_bytes(std::span(begins_)));
  return hash.hex();
}

}  // namespace mesita::training
