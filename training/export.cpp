#include "training/export.h"

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "model/checkpoint/checkpoint.h"
#include "model/checkpoint/foreign_weights.h"
#include "model/checkpoint/gguf.h"
#include "model/checkpoint/output_file.h"
#include "model/checkpoint/safetensors.h"
#include "tokenizer/huggingface_tokenizer.h"
#include "tokenizer/sentencepiece_tokenizer.h"

namespace mesita::training {

namespace fs = std::filesystem;

namespace {

using nlohmann::ordered_json;
using tokenizer::SentencePieceModel;

struct Source {
  checkpoint::Checkpoint checkpoint;
  std::unique_ptr<tokenizer::Tokenizer> tokenizer;

  /// None where the tokenizer is of another kind.
  const SentencePieceModel* sentencepiece() const {
    const auto* found = dynamic_cast<const tokenizer::SentencePieceTokenizer*>(tokenizer.get());
    return found == nullptr ? nullptr : &found->model();
  }
};

Source read_source(const fs::path& folder) {
  const fs::path place = checkpoint::checkpoint_folder(folder);
  return {checkpoint::load_checkpoint(place), tokenizer::load_tokenizer(place)};
}

void require_absent(const fs::path& out) {
  std::error_code error;
  if (fs::exists(fs::symlink_status(out, error)) && !(fs::is_directory(out) && fs::is_empty(out)))
    throw std::runtime_error(out.string() + " exists: choose another --out, or move it away");
}

/// Where `out` is made before it gets its name.
fs::path unfinished(const fs::path& out) {
  const fs::path whole = out.has_filename() ? out : out.parent_path();
  const fs::path part = whole.parent_path() / ("." + whole.filename().string() + ".export");
  if (whole.has_parent_path()) fs::create_directories(whole.parent_path());
  fs::remove_all(part);
  return part;
}

void give_name(const fs::path& part, const fs::path& out) {
  const fs::path whole = out.has_filename() ? out : out.parent_path();
  fs::rename(part, whole);
  checkpoint::make_durable(fs::absolute(whole).parent_path());
}

void write_text_file(const fs::path& path, const std::string& text) {
  checkpoint::OutputFile file(path);
  file.write(text);
  file.finish();
}

ordered_json name_or_null(const tokenizer::Tokenizer& tokenizer, std::optional<int32_t> id) {
  const auto name = id ? tokenizer.special_name(*id) : std::nullopt;
  return name ? ordered_json(*name) : ordered_json();
}

std::string tokenizer_config(const Source& source) {
  const checkpoint::CheckpointConfig& config = source.checkpoint.config;
  return ordered_json{
             {"tokenizer_class", "PreTrainedTokenizerFast"},
             {"bos_token", name_or_null(*source.tokenizer, config.document_start)},
             {"eos_token", name_or_null(*source.tokenizer, config.end)},
             {"unk_token", name_or_null(*source.tokenizer, source.tokenizer->special_id("<unk>"))},
             {"model_max_length", config.model.context},
             {"clean_up_tokenization_spaces", false}}
             .dump(2) +
         "\n";
}

/// llama.cpp's head of a BPE from SentencePiece; kinds of pieces have the same numbers there.
checkpoint::GgufHead tokenizer_head(const Source& source) {
  const SentencePieceModel* model = source.sentencepiece();
  if (model == nullptr || model->algorithm != SentencePieceModel::Algorithm::bpe)
    throw std::invalid_argument(
        "llama.cpp's \"llama\" tokenizer is a SentencePiece BPE, and this checkpoint has another: "
        "it "
        "cannot be exported as GGUF");
  tokenizer::huggingface_tokenizer(*model);  // refuses what changes text
  std::vector<std::string> pieces;
  std::vector<float> scores;
  std::vector<int32_t> kinds;
  uint32_t unknown = 0;
  for (const tokenizer::Piece& piece : model->pieces) {
    if (piece.kind == tokenizer::PieceKind::unknown) unknown = static_cast<uint32_t>(pieces.size());
    pieces.push_back(piece.text);
    scores.push_back(piece.score);
    kinds.push_back(static_cast<int32_t>(piece.kind));
  }
  const checkpoint::CheckpointConfig& config = source.checkpoint.config;
  checkpoint::GgufHead head{{"tokenizer.ggml.model", std::string("llama")},
                            {"tokenizer.ggml.tokens", pieces},
                            {"tokenizer.ggml.scores", scores},
                            {"tokenizer.ggml.token_type", kinds},
                            {"tokenizer.ggml.unknown_token_id", unknown},
                            {"tokenizer.ggml.add_bos_token", config.document_start.has_value()},
                            {"tokenizer.ggml.add_eos_token", false},
                            {"tokenizer.ggml.add_space_prefix", model->adds_dummy_prefix}};
  if (config.document_start)
    head.emplace_back("tokenizer.ggml.bos_token_id", static_cast<uint32_t>(*config.document_start));
  if (config.end)
    head.emplace_back("tokenizer.ggml.eos_token_id", static_cast<uint32_t>(*config.end));
  return head;
}

checkpoint::GgufHead model_head(const model::ModelConfig& config, const std::string& name) {
  const auto size = [](int64_t value) { return static_cast<uint32_t>(value); };
  return {{"general.architecture", std::string("gpt2")},
          {"general.name", name},
          {"general.file_type", uint32_t{0}},  // all float32
          {"gpt2.context_length", size(config.context)},
          {"gpt2.embedding_length", size(config.width)},
          {"gpt2.feed_forward_length", size(config.feed_forward)},
          {"gpt2.block_count", size(config.layers)},
          {"gpt2.attention.head_count", size(config.heads)},
          {"gpt2.attention.layer_norm_epsilon", static_cast<float>(config.norm_epsilon)},
          {"gpt2.vocab_size", size(config.vocabulary)}};
}

}  // namespace

void export_huggingface(const fs::path& checkpoint, const fs::path& out) {
  require_absent(out);
  const Source source = read_source(checkpoint);
  const std::vector<checkpoint::ForeignTensor> weights =
      checkpoint::huggingface_weights(source.checkpoint);
  const SentencePieceModel* pieces = source.sentencepiece();
  if (pieces == nullptr && source.tokenizer->kind() != "none")
    throw std::invalid_argument("its tokenizer is of kind " +
                                std::string(source.tokenizer->kind()) +
                                ", which tokenizer.json cannot hold: it cannot be exported");
  const std::string tokenizer = pieces ? tokenizer::huggingface_tokenizer(*pieces) : "";

  const fs::path folder = unfinished(out);
  fs::create_directory(folder);
  std::vector<checkpoint::TensorToWrite> tensors;
  for (const checkpoint::ForeignTensor& each : weights)
    tensors.push_back(
        {each.name, checkpoint::TensorType::float32, each.array.shape, each.array.values});
  checkpoint::OutputFile file(folder / "model.safetensors");
  checkpoint::write_safetensors(file, tensors, {{"format", "pt"}});
  file.finish();
  write_text_file(folder / "config.json", checkpoint::huggingface_config(source.checkpoint.config));
  if (pieces != nullptr) {
    write_text_file(folder / "tokenizer.json", tokenizer);
    write_text_file(folder / "tokenizer_config.json", tokenizer_config(source));
  }
  checkpoint::make_durable(folder);
  give_name(folder, out);
}

void export_gguf(const fs::path& checkpoint, const fs::path& out) {
  require_absent(out);
  const Source source = read_source(checkpoint);
  const std::vector<checkpoint::ForeignTensor> weights =
      checkpoint::gguf_weights(source.checkpoint);
  checkpoint::GgufHead head =
      model_head(source.checkpoint.config.model, fs::absolute(checkpoint).filename().string());
  for (auto& entry : tokenizer_head(source)) head.push_back(std::move(entry));

  const fs::path part = unfinished(out);
  checkpoint::OutputFile file(part);
  checkpoint::write_gguf(file, head, weights);
  file.finish();
  give_name(part, out);
}

}  // namespace mesita::training
