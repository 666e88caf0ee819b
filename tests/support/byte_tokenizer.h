#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/tokenizer.h"

namespace mesita::testing {

/// Ids 0 to 255 are the bytes, then come pieces of a test's choice, then "</s>". The worst case for
/// everything that turns ids into text.
class ByteTokenizer final : public tokenizer::Tokenizer {
 public:
  explicit ByteTokenizer(std::vector<std::string> pieces = {}) : pieces_(std::move(pieces)) {}

  int32_t end() const { return static_cast<int32_t>(size() - 1); }

  std::string_view kind() const override { return "bytes"; }
  int64_t size() const override { return 257 + static_cast<int64_t>(pieces_.size()); }
  std::string hash() const override { return "none"; }
  void save(const std::filesystem::path&) const override {
    throw std::runtime_error("a tokenizer for tests is not saved");
  }
  std::vector<int32_t> encode(std::string_view text) const override {
    std::vector<int32_t> ids;
    for (const char c : text) ids.push_back(static_cast<unsigned char>(c));
    return ids;
  }
  std::vector<tokenizer::Span> encode_with_spans(std::string_view text) const override {
    std::vector<tokenizer::Span> spans;
    for (const int32_t id : encode(text)) spans.push_back({id, spans.size(), spans.size() + 1});
    return spans;
  }
  std::string bytes_of(int32_t id, Place) const override {
    require_id(id, size());
    if (id < 256) return std::string(1, static_cast<char>(id));
    return id == end() ? "" : pieces_[static_cast<size_t>(id) - 256];
  }
  std::optional<std::string> special_name(int32_t id) const override {
    return id == end() ? std::optional<std::string>("</s>") : std::nullopt;
  }
  std::optional<int32_t> special_id(std::string_view name) const override {
    return name == "</s>" ? std::optional<int32_t>(end()) : std::nullopt;
  }

 private:
  std::vector<std::string> pieces_;
};

}  // namespace mesita::testing
