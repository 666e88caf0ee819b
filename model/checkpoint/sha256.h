#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "model/checkpoint/readable_file.h"

struct evp_md_ctx_st;  // OpenSSL's EVP_MD_CTX

namespace mesita::checkpoint {

/// SHA-256 (FIPS 180-4) of bytes that come in pieces.
class Sha256 {
 public:
  Sha256();

  void update(std::span<const std::byte> bytes);
  void update(std::string_view text) { update(std::as_bytes(std::span(text))); }
  /// 64 lower-case hexadecimal digits. Last call.
  std::string hex();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

/// The hash of a text, as Sha256::hex.
std::string sha256(std::string_view text);
/// The hash of a file's content, which is read in pieces.
std::string sha256(const ReadableFile& file);

}  // namespace mesita::checkpoint
