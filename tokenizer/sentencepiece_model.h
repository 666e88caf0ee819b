#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mesita::tokenizer {

/// What a piece of a SentencePiece model stands for (values of SentencePiece's own format).
enum class PieceKind {
  normal = 1,
  unknown = 2,
  control = 3,
  user_defined = 4,
  unused = 5,
  byte = 6
};

struct Piece {
  std::string text;  // U+2581 stands for a blank; "<0xNN>" for byte pieces
  float score = 0;
  PieceKind kind = PieceKind::normal;
};

/// The content of a SentencePiece model file that decides how text and ids correspond. Defaults are
/// the format's.
struct SentencePieceModel {
  enum class Algorithm { unigram = 1, bpe = 2, word = 3, character = 4 };

  std::vector<Piece> pieces;  // by id
  Algorithm algorithm = Algorithm::unigram;
  bool byte_fallback = false;
  bool whitespace_as_suffix = false;
  std::string normalization;             // name of the rule, "identity" for none
  std::string normalization_table;       // compiled rule, empty for none
  bool adds_dummy_prefix = true;         // a blank in front of every text
  bool removes_extra_whitespace = true;  // at both ends, and runs become one blank
  bool escapes_whitespace = true;        // blanks are U+2581 inside the model

  /// True when every valid UTF-8 text survives encoding and decoding.
  bool lossless() const;
};

/// "bpe", "unigram", "word" or "char".
std::string_view algorithm_name(SentencePieceModel::Algorithm algorithm);

/// Reads a serialised model and refuses what SentencePiece would crash on or what the rest of
/// mesita does not support. Throws std::runtime_error with the reason: not a protocol buffer,
/// truncated, no pieces, a piece that is empty, too long, not UTF-8 or has a NUL, a score that is
/// not finite, not exactly one unknown piece, byte pieces that are not the 256 bytes, a damaged
/// normalisation table, blanks as suffixes, unescaped blanks.
SentencePieceModel parse_sentencepiece_model(std::string_view serialized);

/// The same serialised model with adds_dummy_prefix set.
std::string with_dummy_prefix(std::string_view serialized, bool adds_dummy_prefix);

/// Value of a byte piece's text "<0xNN>"; -1 when it is none.
int byte_value(std::string_view piece);

}  // namespace mesita::tokenizer
