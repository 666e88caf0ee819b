#include "tokenizer/huggingface_tokenizer.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "tokenizer/utf8.h"

namespace mesita::tokenizer {
namespace {

using nlohmann::ordered_json;

constexpr const char* kBlank = "\xE2\x96\x81";  // U+2581

void require_exportable(const SentencePieceModel& model) {
  const auto refuse = [](const std::string& reason) {
    throw std::invalid_argument("its tokenizer " + reason +
                                ", which tokenizer.json cannot say exactly: it cannot be exported");
  };
  using Algorithm = SentencePieceModel::Algorithm;
  if (model.algorithm != Algorithm::bpe && model.algorithm != Algorithm::unigram)
    refuse("is neither BPE nor unigram");
  if (model.normalization != "identity" && !model.normalization_table.empty())
    refuse("normalises text (" + model.normalization + ")");
  if (model.removes_extra_whitespace) refuse("removes blanks");
  for (const Piece& piece : model.pieces) {
    if (piece.kind == PieceKind::user_defined) refuse("has pieces defined by its user");
  }
}

/// Pairs whose union is a piece, those of the highest score first.
ordered_json merges_of(const SentencePieceModel& model) {
  std::unordered_map<std::string_view, size_t> ids;
  for (size_t id = 0; id < model.pieces.size(); ++id) {
    if (model.pieces[id].kind == PieceKind::normal) ids[model.pieces[id].text] = id;
  }
  // Negative score, ids of both parts, and where the piece is cut.
  std::vector<std::tuple<float, size_t, size_t, size_t, size_t>> merges;
  for (const auto& [text, id] : ids) {
    for (size_t cut = 1; cut < text.size(); ++cut) {
      if ((static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) continue;  // inside a character
      const auto left = ids.find(text.substr(0, cut)), right = ids.find(text.substr(cut));
      if (left != ids.end() && right != ids.end())
        merges.emplace_back(-model.pieces[id].score, id, left->second, right->second, cut);
    }
  }
  std::sort(merges.begin(), merges.end());
  ordered_json list = ordered_json::array();
  for (const auto& [score, id, left, right, cut] : merges) {
    const std::string& text = model.pieces[id].text;
    list.push_back({text.substr(0, cut), text.substr(cut)});
  }
  return list;
}

ordered_json model_of(const SentencePieceModel& model) {
  size_t unknown = 0;
  for (size_t id = 0; id < model.pieces.size(); ++id) {
    if (model.pieces[id].kind == PieceKind::unknown) unknown = id;
  }
  if (model.algorithm == SentencePieceModel::Algorithm::unigram) {
    ordered_json vocabulary = ordered_json::array();
    for (const Piece& piece : model.pieces) vocabulary.push_back({piece.text, piece.score});
    return {{"type", "Unigram"},
            {"unk_id", unknown},
            {"vocab", vocabulary},
            {"byte_fallback", model.byte_fallback}};
  }
  ordered_json vocabulary = ordered_json::object();
  for (size_t id = 0; id < model.pieces.size(); ++id) vocabulary[model.pieces[id].text] = id;
  return {{"type", "BPE"},
          {"dropout", nullptr},
          {"unk_token", model.pieces[unknown].text},
          {"continuing_subword_prefix", nullptr},
          {"end_of_word_suffix", nullptr},
          {"fuse_unk", true},
          {"byte_fallback", model.byte_fallback},
          {"vocab", vocabulary},
          {"merges", merges_of(model)}};
}

}  // namespace

std::string huggingface_tokenizer(const SentencePieceModel& model) {
  require_exportable(model);
  ordered_json specials = ordered_json::array();
  for (size_t id = 0; id < model.pieces.size(); ++id) {
    const Piece& piece = model.pieces[id];
    if (piece.kind != PieceKind::control && piece.kind != PieceKind::unknown) continue;
    specials.push_back({{"id", id},
                        {"content", piece.text},
                        {"single_word", false},
                        {"lstrip", false},
                        {"rstrip", false},
                        {"normalized", false},
                        {"special", true}});
  }
  ordered_json normalizers = ordered_json::array(), decoders = ordered_json::array();
  if (model.adds_dummy_prefix) normalizers.push_back({{"type", "Prepend"}, {"prepend", kBlank}});
  normalizers.push_back({{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", kBlank}});
  decoders.push_back({{"type", "Replace"}, {"pattern", {{"String", kBlank}}}, {"content", " "}});
  if (model.byte_fallback) decoders.push_back({{"type", "ByteFallback"}});
  decoders.push_back({{"type", "Fuse"}});
  if (model.adds_dummy_prefix)
    decoders.push_back({{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}});
  return ordered_json{{"version", "1.0"},
                      {"truncation", nullptr},
                      {"padding", nullptr},
                      {"added_tokens", specials},
                      {"normalizer", {{"type", "Sequence"}, {"normalizers", normalizers}}},
                      {"pre_tokenizer", nullptr},
                      {"post_processor", nullptr},
                      {"decoder", {{"type", "Sequence"}, {"decoders", decoders}}},
                      {"model", model_of(model)}}
             .dump() +
         "\n";
}

}  // namespace mesita::tokenizer
