#pragma once

#include <bit>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "tokenizer/sentencepiece_model.h"

namespace mesita::testing {

inline void append_varint(std::string& out, uint64_t value) {
  for (; value >= 128; value >>= 7) out += static_cast<char>(value | 128);
  out += static_cast<char>(value);
}

inline void append_number(std::string& out, uint32_t field, uint64_t value) {
  append_varint(out, uint64_t{field} << 3);
  append_varint(out, value);
}

inline void append_bytes(std::string& out, uint32_t field, const std::string& bytes) {
  append_varint(out, uint64_t{field} << 3 | 2);
  append_varint(out, bytes.size());
  out += bytes;
}

/// The serialised form of a SentencePiece model, written by hand.
inline std::string write_model(const tokenizer::SentencePieceModel& model) {
  std::string result;
  for (const tokenizer::Piece& piece : model.pieces) {
    std::string message;
    append_bytes(message, 1, piece.text);
    append_varint(message, 2 << 3 | 5);
    const auto bits = std::bit_cast<uint32_t>(piece.score);
    for (int shift = 0; shift < 32; shift += 8) message += static_cast<char>(bits >> shift);
    append_number(message, 3, static_cast<uint64_t>(piece.kind));
    append_bytes(result, 1, message);
  }
  std::string trainer;
  append_number(trainer, 3, static_cast<uint64_t>(model.algorithm));
  append_number(trainer, 24, model.whitespace_as_suffix ? 1 : 0);
  append_number(trainer, 35, model.byte_fallback ? 1 : 0);
  append_bytes(result, 2, trainer);
  std::string normalizer;
  append_bytes(normalizer, 1, model.normalization);
  append_bytes(normalizer, 2, model.normalization_table);
  append_number(normalizer, 3, model.adds_dummy_prefix ? 1 : 0);
  append_number(normalizer, 4, model.removes_extra_whitespace ? 1 : 0);
  append_number(normalizer, 5, model.escapes_whitespace ? 1 : 0);
  append_bytes(result, 3, normalizer);
  return result;
}

/// A lossless BPE model without dummy prefix: <unk> <s> </s>, 256 bytes, then `pieces`, the earlier
/// the sooner merged. Tests change what they are about.
inline tokenizer::SentencePieceModel lossless_model(const std::vector<std::string>& pieces) {
  using tokenizer::PieceKind;
  tokenizer::SentencePieceModel model;
  model.algorithm = tokenizer::SentencePieceModel::Algorithm::bpe;
  model.byte_fallback = true;
  model.normalization = "identity";
  model.adds_dummy_prefix = false;
  model.removes_extra_whitespace = false;
  model.pieces = {{"<unk>", 0, PieceKind::unknown},
                  {"<s>", 0, PieceKind::control},
                  {"</s>", 0, PieceKind::control}};
  for (int byte = 0; byte < 256; ++byte) {
    char name[8];
    std::snprintf(name, sizeof(name), "<0x%02X>", byte);
    model.pieces.push_back({name, 0, PieceKind::byte});
  }
  for (const std::string& text : pieces) {
    model.pieces.push_back({text, -static_cast<float>(model.pieces.size()), PieceKind::normal});
  }
  return model;
}

/// Id of a byte in lossless_model().
inline int32_t byte_id(int byte) {
  return 3 + byte;
}

}  // namespace mesita::testing
