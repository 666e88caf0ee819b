#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "tokenizer/sentencepiece_model.h"
#include "tokenizer/tokenizer.h"

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace mesita::tokenizer {

/// Text <-> ids by a SentencePiece model.
class SentencePieceTokenizer final : public Tokenizer {
 public:
  /// Of a serialised model, the content of a .model file. Throws std::runtime_error with the
  /// reason.
  explicit SentencePieceTokenizer(std::string serialized);

  std::string_view kind() const override { return "sentencepiece"; }
  int64_t size() const override { return static_cast<int64_t>(model_.pieces.size()); }
  std::string hash() const override { return hash_; }
  void save(const std::filesystem::path& folder) const override;

  std::vector<int32_t> encode(std::string_view text) const override;
  std::vector<Span> encode_with_spans(std::string_view text) const override;
  std::string bytes_of(int32_t id, Place place) const override;
  std::optional<std::string> special_name(int32_t id) const override;
  std::optional<int32_t> special_id(std::string_view name) const override;

  const SentencePieceModel& model() const { return model_; }

 private:
  using Processor = sentencepiece::SentencePieceProcessor;

  void build_processors();
  bool is_special(int64_t id) const;
  size_t marked_character(std::string_view text) const;
  size_t next_marked(std::string_view text) const;
  void append_bytes(std::string_view text, size_t begin, size_t end,
                    std::vector<Span>& spans) const;
  void append_segment(std::string_view text, size_t begin, size_t end,
                      std::vector<Span>& spans) const;

  std::string serialized_;
  std::string hash_;
  SentencePieceModel model_;
  std::vector<std::string> bytes_;       // what a piece adds to a text, by id
  std::array<int32_t, 256> byte_ids_{};  // with byte fallback only
  std::unordered_map<std::string, int32_t> specials_;
  bool exact_ = false;                      // blanks survive, so U+2581 must not become one
  bool blanks_as_bytes_ = false;            // the vocabulary has no piece that is a blank
  std::shared_ptr<const Processor> first_;  // for the beginning of a text
  std::shared_ptr<const Processor> later_;  // for what follows
};

/// Reads a SentencePiece model file. Throws std::runtime_error with file and reason.
std::unique_ptr<SentencePieceTokenizer> load_sentencepiece_tokenizer(
    const std::filesystem::path& file);

}  // namespace mesita::tokenizer
