#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mesita::tokenizer {

/// A token of an encoded text and the bytes of the text that it stands for. Tokens in order cover
/// the text from 0 to its size without hole or overlap; a token may be empty (begin == end).
struct Span {
  int32_t id = 0;
  size_t begin = 0;
  size_t end = 0;
};

/// Text <-> ids. Immutable after loading; all methods may be called from many threads.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  /// "sentencepiece", "symbols" or "none".
  virtual std::string_view kind() const = 0;
  /// Number of ids; valid ids are 0 .. size()-1.
  virtual int64_t size() const = 0;
  /// SHA-256 (hexadecimal) of the defining file as save() writes it.
  virtual std::string hash() const = 0;

  /// Writes the defining file (tokenizer.model, symbols.json or none.json) into a folder, which is
  /// made if absent, so that load_tokenizer(folder) gives this tokenizer again. Throws
  /// std::runtime_error when the disk fails or the folder holds another kind's file.
  virtual void save(const std::filesystem::path& folder) const = 0;

  /// Ids of a text. A special token's name inside the text is ordinary text. Throws
  /// std::invalid_argument when the text is not valid UTF-8 (says at which byte), when a symbol is
  /// unknown, and always for kind none.
  virtual std::vector<int32_t> encode(std::string_view text) const = 0;
  /// The same, with the bytes that each id covers.
  virtual std::vector<Span> encode_with_spans(std::string_view text) const = 0;

  /// Bytes that one id adds to a text (one byte for byte pieces, none for special ids). `at_start`:
  /// the id opens a text (SentencePiece then drops a dummy prefix). Throws std::invalid_argument
  /// for ids outside 0 .. size()-1.
  enum class Place { start, inside };
  virtual std::string bytes_of(int32_t id, Place place) const = 0;

  /// Name of a special id ("<s>", "</s>", "<unk>"); nothing for ordinary ids.
  virtual std::optional<std::string> special_name(int32_t id) const = 0;
  /// Id of a special token's name.
  virtual std::optional<int32_t> special_id(std::string_view name) const = 0;

  /// Text of ids: exactly what streaming them through an IncrementalDecoder gives. Invalid UTF-8
  /// becomes U+FFFD. With special tokens spelled, special ids appear by their names.
  enum class Specials { hidden, spelled };
  std::string decode(const std::vector<int32_t>& ids, Specials specials = Specials::hidden) const;

 protected:
  /// Throws std::invalid_argument for an id outside 0 .. size-1.
  static void require_id(int64_t id, int64_t size);
};

/// Loads the tokenizer/ folder of a checkpoint (tokenizer.model, symbols.json, or none.json), the
/// checkpoint folder itself, or a bare .model file. Throws std::runtime_error with file and reason.
std::unique_ptr<Tokenizer> load_tokenizer(const std::filesystem::path& path);

/// A tokenizer without text: `size` ids.
std::unique_ptr<Tokenizer> make_idless_tokenizer(int64_t size);

/// A vocabulary of symbols; text is symbols separated by blanks. `specials` names those among the
/// symbols that are never text, such as a start and an end. Throws std::invalid_argument for
/// duplicates, for symbols that are empty, contain white space or are not UTF-8, and for specials
/// that are not among the symbols.
std::unique_ptr<Tokenizer> make_symbol_tokenizer(std::vector<std::string> symbols,
                                                 std::vector<std::string> specials = {});

}  // namespace mesita::tokenizer
