#include "tokenizer/sentencepiece_model.h"

#include <array>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <unordered_set>

#include "tokenizer/utf8.h"
#include "tokenizer/wire_format.h"

namespace mesita::tokenizer {
namespace {

using Type = WireField::Type;

// SentencePiece 0.1.97 overflows its stack on pieces of some 100,000 bytes.
constexpr size_t kLongestPiece = 16384;

// Numbers of the fields in sentencepiece_model.proto.
constexpr uint32_t kPieces = 1;
constexpr uint32_t kTrainerSpec = 2;
constexpr uint32_t kNormalizerSpec = 3;
constexpr uint32_t kAddDummyPrefix = 3;

[[noreturn]] void fail(const std::string& reason) {
  throw std::runtime_error(reason);
}

void expect(const WireField& field, Type type, const char* name) {
  if (field.type != type)
    fail(std::string("not a SentencePiece model: ") + name + " has a wrong type");
}

bool flag(const WireField& field, const char* name) {
  expect(field, Type::varint, name);
  return field.value != 0;
}

Piece read_piece(std::string_view message, size_t id) {
  Piece piece;
  WireReader reader(message);
  for (WireField field; reader.next(field);) {
    switch (field.number) {
      case 1:
        expect(field, Type::bytes, "a piece's text");
        piece.text = field.bytes;
        break;
      case 2:
        expect(field, Type::fixed32, "a piece's score");
        piece.score = std::bit_cast<float>(static_cast<uint32_t>(field.value));
        break;
      case 3:
        expect(field, Type::varint, "a piece's kind");
        if (field.value < 1 || field.value > 6)
          fail("piece " + std::to_string(id) + " has kind " + std::to_string(field.value) +
               ", known are 1 to 6");
        piece.kind = static_cast<PieceKind>(field.value);
        break;
      default:
        break;
    }
  }
  const std::string name = "piece " + std::to_string(id);
  if (piece.text.empty()) fail(name + " is empty");
  if (piece.text.size() > kLongestPiece) {
    fail(name + " has " + std::to_string(piece.text.size()) + " bytes, at most " +
         std::to_string(kLongestPiece) + " are supported");
  }
  if (piece.text.find('\0') != std::string::npos) fail(name + " contains a NUL byte");
  if (find_invalid_utf8(piece.text) != std::string_view::npos) fail(name + " is not valid UTF-8");
  if (!std::isfinite(piece.score)) fail(name + " has a score that is not finite");
  if (piece.kind == PieceKind::byte && byte_value(piece.text) < 0) {
    fail(name + " is a byte piece but is named " + piece.text + " instead of <0xNN>");
  }
  return piece;
}

void read_trainer_spec(std::string_view message, SentencePieceModel& model) {
  WireReader reader(message);
  for (WireField field; reader.next(field);) {
    switch (field.number) {
      case 3:
        expect(field, Type::varint, "model_type");
        if (field.value < 1 || field.value > 4)
          fail("unknown model_type " + std::to_string(field.value));
        model.algorithm = static_cast<SentencePieceModel::Algorithm>(field.value);
        break;
      case 24:
        model.whitespace_as_suffix = flag(field, "treat_whitespace_as_suffix");
        break;
      case 35:
        model.byte_fallback = flag(field, "byte_fallback");
        break;
      default:
        break;
    }
  }
}

void read_normalizer_spec(std::string_view message, SentencePieceModel& model) {
  WireReader reader(message);
  for (WireField field; reader.next(field);) {
    switch (field.number) {
      case 1:
        expect(field, Type::bytes, "the normaliser's name");
        model.normalization = field.bytes;
        break;
      case 2:
        expect(field, Type::bytes, "precompiled_charsmap");
        model.normalization_table = field.bytes;
        break;
      case kAddDummyPrefix:
        model.adds_dummy_prefix = flag(field, "add_dummy_prefix");
        break;
      case 4:
        model.removes_extra_whitespace = flag(field, "remove_extra_whitespaces");
        break;
      case 5:
        model.escapes_whitespace = flag(field, "escape_whitespaces");
        break;
      default:
        break;
    }
  }
}

// A table is the size of a double array of 32-bit units (256 at least), the array, then texts that
// end in NUL. 0.1.97 trusts offsets into it blindly.
void check_normalization_table(std::string_view table) {
  if (table.empty()) return;
  uint64_t array = 0;
  if (table.size() >= 4) {
    for (size_t i = 0; i < 4; ++i) array |= uint64_t{static_cast<uint8_t>(table[i])} << (8 * i);
  }
  if (array < 1024 || array % 4 != 0 || array >= table.size() - 4 || table.back() != '\0') {
    fail("the normalisation table (precompiled_charsmap) is damaged");
  }
}

bool is_one_character(std::string_view text) {
  return floor_to_character(text, text.size() - 1) == 0;
}

void check_pieces(const SentencePieceModel& model) {
  if (model.pieces.empty()) fail("not a SentencePiece model: it has no pieces");
  std::unordered_set<std::string_view> texts;
  size_t byte_count = 0;  // of different names, as no text is there twice
  size_t unknown_count = 0;
  for (const Piece& piece : model.pieces) {
    if (!texts.insert(piece.text).second) fail("the piece " + piece.text + " is there twice");
    if (piece.kind == PieceKind::unknown) ++unknown_count;
    if (piece.kind == PieceKind::byte) ++byte_count;
    // SentencePiece would find it in texts, and then fail to encode them.
    if (piece.kind == PieceKind::control && is_one_character(piece.text)) {
      fail("the control piece " + piece.text + " is one character, which texts may contain");
    }
  }
  if (unknown_count != 1) {
    fail("has " + std::to_string(unknown_count) + " unknown pieces, exactly one is needed");
  }
  if (byte_count != (model.byte_fallback ? size_t{256} : 0)) {
    fail("has " + std::to_string(byte_count) + " byte pieces, expected " +
         (model.byte_fallback ? "256 (byte fallback is on)" : "none (byte fallback is off)"));
  }
}

}  // namespace

bool SentencePieceModel::lossless() const {
  return byte_fallback && normalization_table.empty() && !removes_extra_whitespace;
}

std::string_view algorithm_name(SentencePieceModel::Algorithm algorithm) {
  constexpr std::array<std::string_view, 4> kNames = {"unigram", "bpe", "word", "char"};
  return kNames.at(static_cast<size_t>(algorithm) - 1);
}

SentencePieceModel parse_sentencepiece_model(std::string_view serialized) {
  SentencePieceModel model;
  bool has_trainer_spec = false;
  bool has_normalizer_spec = false;
  WireReader reader(serialized);
  for (WireField field; reader.next(field);) {
    if (field.number < kPieces || field.number > kNormalizerSpec) continue;
    has_trainer_spec = has_trainer_spec || field.number == kTrainerSpec;
    has_normalizer_spec = has_normalizer_spec || field.number == kNormalizerSpec;
    expect(field, Type::bytes, "a part of the model");
    if (field.number == kPieces)
      model.pieces.push_back(read_piece(field.bytes, model.pieces.size()));
    if (field.number == kTrainerSpec) read_trainer_spec(field.bytes, model);
    if (field.number == kNormalizerSpec) read_normalizer_spec(field.bytes, model);
  }
  // Both stand behind the pieces: where one is missing, the file was cut between two fields.
  if (!has_trainer_spec || !has_normalizer_spec) {
    fail("truncated, or not a SentencePiece model: its settings are missing");
  }
  check_pieces(model);
  check_normalization_table(model.normalization_table);
  if (model.algorithm == SentencePieceModel::Algorithm::word) {
    fail("models of whole words are not supported, only bpe, unigram and char");
  }
  if (model.whitespace_as_suffix) {
    fail("models with treat_whitespace_as_suffix are not supported: blanks must begin a piece");
  }
  if (!model.escapes_whitespace) {
    fail("models with escape_whitespaces = false are not supported");
  }
  return model;
}

std::string with_dummy_prefix(std::string_view serialized, bool adds_dummy_prefix) {
  // A submessage that is there twice is merged, and the later value of a field wins.
  std::string result(serialized);
  result += static_cast<char>(kNormalizerSpec << 3 | 2);
  result += static_cast<char>(2);
  result += static_cast<char>(kAddDummyPrefix << 3);
  result += static_cast<char>(adds_dummy_prefix ? 1 : 0);
  return result;
}

int byte_value(std::string_view piece) {
  if (piece.size() != 6 || !piece.starts_with("<0x") || piece[5] != '>') return -1;
  int value = 0;
  for (const char digit : piece.substr(3, 2)) {
    if (digit >= '0' && digit <= '9') {
      value = value * 16 + (digit - '0');
    } else if (digit >= 'A' && digit <= 'F') {
      value = value * 16 + (digit - 'A' + 10);
    } else {
      return -1;
    }
  }
  return value;
}

}  // namespace mesita::tokenizer
