#include "model/checkpoint/sha256.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

namespace mesita::checkpoint {

namespace {

constexpr uint64_t kHashedBytes = uint64_t{1} << 20;

void require(int result) {
  if (result != 1)
    throw std::runtime_error("OpenSSL cannot compute SHA-256: check its installation");
}

}  // namespace

void Sha256::Free::operator()(evp_md_ctx_st* context) const {
  EVP_MD_CTX_free(context);
}

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  require(context_ ? 1 : 0);
  require(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr));
}

void Sha256::update(std::span<const std::byte> bytes) {
  require(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()));
}

std::string Sha256::hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest = {};
  unsigned int size = 0;
  require(EVP_DigestFinal_ex(context_.get(), digest.data(), &size));
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (unsigned int i = 0; i < size; ++i) {
    text += kDigits[digest[i] >> 4];
    text += kDigits[digest[i] & 15];
  }
  return text;
}

std::string sha256(std::string_view text) {
  Sha256 hash;
  hash.update(text);
  return hash.hex();
}

std::string sha256(const ReadableFile& file) {
  Sha256 hash;
  std::vector<std::byte> piece(static_cast<size_t>(std::min(kHashedBytes, file.size())));
  for (uint64_t offset = 0; offset < file.size(); offset += piece.size()) {
    piece.resize(static_cast<size_t>(std::min(kHashedBytes, file.size() - offset)));
    file.read(offset, piece);
    hash.update(piece);
  }
  return hash.hex();
}

}  // namespace mesita::checkpoint
