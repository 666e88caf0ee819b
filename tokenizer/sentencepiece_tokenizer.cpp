#include "tokenizer/sentencepiece_tokenizer.h"

#include <sentencepiece_processor.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "tokenizer/definition_file.h"
#include "tokenizer/text_segments.h"
#include "tokenizer/utf8.h"

namespace mesita::tokenizer {
namespace {

constexpr std::string_view kBlankMark = "\xE2\x96\x81";  // U+2581

std::shared_ptr<const sentencepiece::SentencePieceProcessor> make_processor(
    const std::string& serialized) {
  auto processor = std::make_shared<sentencepiece::SentencePieceProcessor>();
  std::string reason;
  try {
    const auto status = processor->LoadFromSerializedProto(serialized);
    if (status.ok()) return processor;
    reason = status.ToString();
  } catch (const std::exception& error) {  // of its trie builder
    reason = error.what();
  }
  throw std::runtime_error("SentencePiece refuses it: " + reason);
}

/// Bytes that a piece adds to a text.
std::string piece_bytes(const Piece& piece) {
  switch (piece.kind) {
    case PieceKind::unknown:
    case PieceKind::control:
      return {};
    case PieceKind::byte:
      return {static_cast<char>(byte_value(piece.text))};
    default:
      break;
  }
  std::string bytes = piece.text;
  for (size_t at = bytes.find(kBlankMark); at != std::string::npos;
       at = bytes.find(kBlankMark, at + 1)) {
    bytes.replace(at, kBlankMark.size(), " ");
  }
  return bytes;
}

/// The last `count` spans are the bytes of one character, which the last of them covers: gives each
/// its byte. A normalised character can have other bytes than the text; then nothing changes.
void spread_over_bytes(std::vector<Span>& spans, size_t count) {
  const size_t first = spans.size() - count;
  const size_t begin = spans.back().begin;
  if (spans.back().end - begin != count) return;
  for (size_t i = 0; i < count; ++i) {
    spans[first + i].begin = begin + i;
    spans[first + i].end = begin + i + 1;
  }
}

}  // namespace

SentencePieceTokenizer::SentencePieceTokenizer(std::string serialized)
    : serialized_(std::move(serialized)),
      hash_(definition_hash(serialized_)),
      model_(parse_sentencepiece_model(serialized_)) {
  bool has_blank = false;
  for (size_t i = 0; i < model_.pieces.size(); ++i) {
    const Piece& piece = model_.pieces[i];
    const auto id = static_cast<int32_t>(i);
    bytes_.push_back(piece_bytes(piece));
    if (piece.kind == PieceKind::byte) byte_ids_[byte_value(piece.text)] = id;
    if (is_special(id)) specials_.emplace(piece.text, id);
    has_blank = has_blank || piece.text == kBlankMark;
  }
  exact_ = model_.byte_fallback && !model_.removes_extra_whitespace;
  blanks_as_bytes_ = exact_ && !has_blank;
  build_processors();
  if (first_->GetPieceSize() != size()) {
    throw std::runtime_error("SentencePiece reads " + std::to_string(first_->GetPieceSize()) +
                             " pieces where the file has " + std::to_string(size()));
  }
}

// A later part of a text must not gain a blank. Only a model that removes blanks at both ends needs
// the dummy prefix there too: later parts begin with a blank, which it removes and then puts back.
void SentencePieceTokenizer::build_processors() {
  const bool prefix_at_start = model_.adds_dummy_prefix && !blanks_as_bytes_;
  const bool prefix_later = model_.removes_extra_whitespace;
  const auto with_prefix = [&](bool prefix) {
    return make_processor(
        prefix == model_.adds_dummy_prefix ? serialized_ : with_dummy_prefix(serialized_, prefix));
  };
  first_ = with_prefix(prefix_at_start);
  later_ = prefix_later == prefix_at_start ? first_ : with_prefix(prefix_later);
}

void SentencePieceTokenizer::save(const std::filesystem::path& folder) const {
  write_definition(folder, kSentencePieceFile, serialized_);
}

std::vector<int32_t> SentencePieceTokenizer::encode(std::string_view text) const {
  const std::vector<Span> spans = encode_with_spans(text);
  std::vector<int32_t> ids;
  ids.reserve(spans.size());
  for (const Span& span : spans) ids.push_back(span.id);
  return ids;
}

std::vector<Span> SentencePieceTokenizer::encode_with_spans(std::string_view text) const {
  require_utf8(text, "text");
  std::vector<Span> spans;
  for (size_t begin = 0; begin < text.size();) {
    const size_t marked = exact_ ? marked_character(text.substr(begin)) : 0;
    if (marked > 0) {
      append_bytes(text, begin, begin + marked, spans);
      begin += marked;
      continue;
    }
    const std::string_view window = text.substr(begin, kSegmentBytes + 1);
    const size_t plain = exact_ ? std::min(next_marked(window), window.size()) : window.size();
    const size_t length = first_segment(window.substr(0, plain), kSegmentBytes);
    append_segment(text, begin, begin + length, spans);
    begin += length;
  }
  if (!spans.empty()) spans.back().end = text.size();
  return spans;
}

std::string SentencePieceTokenizer::bytes_of(int32_t id, Place place) const {
  require_id(id, size());
  const bool drops_blank = model_.adds_dummy_prefix || model_.removes_extra_whitespace;
  if (place == Place::start && drops_blank && model_.pieces[id].text.starts_with(kBlankMark)) {
    return bytes_[id].substr(1);
  }
  return bytes_[id];
}

std::optional<std::string> SentencePieceTokenizer::special_name(int32_t id) const {
  if (id < 0 || id >= size() || !is_special(id)) return std::nullopt;
  return model_.pieces[id].text;
}

std::optional<int32_t> SentencePieceTokenizer::special_id(std::string_view name) const {
  const auto found = specials_.find(std::string(name));
  if (found == specials_.end()) return std::nullopt;
  return found->second;
}

bool SentencePieceTokenizer::is_special(int64_t id) const {
  const PieceKind kind = model_.pieces[id].kind;
  return kind == PieceKind::unknown || kind == PieceKind::control;
}

// Characters that SentencePiece would confuse: U+2581 is its blank; a blank without a piece of its
// own would come out as the bytes of U+2581. They are encoded as bytes here.
size_t SentencePieceTokenizer::marked_character(std::string_view text) const {
  if (text.starts_with(kBlankMark)) return kBlankMark.size();
  return blanks_as_bytes_ && text.starts_with(' ') ? 1 : 0;
}

size_t SentencePieceTokenizer::next_marked(std::string_view text) const {
  const size_t mark = text.find(kBlankMark);
  return blanks_as_bytes_ ? std::min(mark, text.find(' ')) : mark;
}

void SentencePieceTokenizer::append_bytes(std::string_view text, size_t begin, size_t end,
                                          std::vector<Span>& spans) const {
  for (size_t i = begin; i < end; ++i) {
    spans.push_back({byte_ids_[static_cast<uint8_t>(text[i])], i, i + 1});
  }
}

void SentencePieceTokenizer::append_segment(std::string_view text, size_t begin, size_t end,
                                            std::vector<Span>& spans) const {
  const Processor& processor = begin == 0 ? *first_ : *later_;
  sentencepiece::ImmutableSentencePieceText encoded;
  const auto status = processor.Encode(text.substr(begin, end - begin), encoded.mutable_proto());
  if (!status.ok()) throw std::runtime_error("SentencePiece cannot encode: " + status.ToString());
  size_t run = 0;  // byte pieces of the present character so far; the last one carries the text
  for (size_t i = 0; i < encoded.pieces_size(); ++i) {
    const auto piece = encoded.pieces(static_cast<int>(i));
    const auto id = static_cast<int32_t>(piece.id());
    require_id(id, size());
    const size_t covered = spans.empty() ? 0 : spans.back().end;
    const size_t piece_end = std::max(covered, begin + piece.end());
    spans.push_back({id, covered, piece_end});
    run = model_.pieces[id].kind == PieceKind::byte ? run + 1 : 0;
    if (run > 0 && piece.begin() < piece.end()) {
      spread_over_bytes(spans, run);
      run = 0;
    }
  }
}

std::unique_ptr<SentencePieceTokenizer> load_sentencepiece_tokenizer(
    const std::filesystem::path& file) {
  std::string content = read_definition(file);
  try {
    return std::make_unique<SentencePieceTokenizer>(std::move(content));
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(file.string() + ": " + error.what());
  }
}

}  // namespace mesita::tokenizer
