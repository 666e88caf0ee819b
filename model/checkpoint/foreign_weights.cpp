#include "model/checkpoint/foreign_weights.h"

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

namespace mesita::checkpoint {
namespace {

using model::ParameterArray;
using nlohmann::ordered_json;

ParameterArray transposed(const ParameterArray& matrix) {
  const int64_t rows = matrix.shape[0], columns = matrix.shape[1];
  ParameterArray result{{columns, rows}, std::vector<float>(matrix.values.size())};
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c)
      result.values[static_cast<size_t>(c * rows + r)] =
          matrix.values[static_cast<size_t>(r * columns + c)];
  }
  return result;
}

/// One below the other.
ParameterArray joined(ParameterArray first, const ParameterArray& second) {
  first.shape[0] += second.shape[0];
  first.values.insert(first.values.end(), second.values.begin(), second.values.end());
  return first;
}

/// How GPT-2's parts are called elsewhere.
struct Names {
  const char *tokens, *positions, *block, *mixer_norm, *query_key_value, *output;
  const char *feed_forward_norm, *up, *down, *final_norm, *unembedding;
};

constexpr Names kHuggingface{"transformer.wte", "transformer.wpe",  "transformer.h.", "ln_1",
                             "attn.c_attn",     "attn.c_proj",      "ln_2",           "mlp.c_fc",
                             "mlp.c_proj",      "transformer.ln_f", "lm_head"};
constexpr Names kGguf{"token_embd", "position_embd", "blk.",     "attn_norm",
                      "attn_qkv",   "attn_output",   "ffn_norm", "ffn_up",
                      "ffn_down",   "output_norm",   "output"};

enum class Layout { outputs_first, inputs_first };

std::vector<ForeignTensor> weights(const Checkpoint& checkpoint, const Names& names,
                                   Layout layout) {
  const model::ModelConfig& config = checkpoint.config.model;
  if (config.position == model::PositionKind::rotary)
    throw std::invalid_argument(
        "GPT-2 adds learned positions, but this model has rotary ones: it cannot be exported");
  const auto value = [&](const std::string& name) { return checkpoint.parameters.at(name); };
  std::vector<ForeignTensor> tensors;
  const auto add = [&](const std::string& name, ParameterArray array) {
    tensors.push_back({name, std::move(array)});
  };
  const auto add_norm = [&](const std::string& name, const std::string& ours) {
    add(name + ".weight", value(ours + ".weight"));
    add(name + ".bias", value(ours + ".bias"));
  };
  const auto add_linear = [&](const std::string& name, const ParameterArray& weight,
                              ParameterArray bias) {
    add(name + ".weight", layout == Layout::inputs_first ? transposed(weight) : weight);
    add(name + ".bias", std::move(bias));
  };
  const auto add_same = [&](const std::string& name, const std::string& ours) {
    add_linear(name, value(ours + ".weight"), value(ours + ".bias"));
  };
  add(names.tokens + std::string(".weight"), value("token_embedding.weight"));
  // Without positions, vectors of zeros change nothing.
  add(names.positions + std::string(".weight"),
      config.position == model::PositionKind::learned
          ? value("position_embedding.weight")
          : ParameterArray{{config.context, config.width},
                           std::vector<float>(static_cast<size_t>(config.context * config.width))});
  for (int64_t layer = 0; layer < config.layers; ++layer) {
    const std::string ours = "blocks." + std::to_string(layer) + ".";
    const std::string theirs = names.block + std::to_string(layer) + ".";
    add_norm(theirs + names.mixer_norm, ours + "mixer_norm");
    const std::string query_key = ours + "mixer.query_key.", values = ours + "mixer.value.";
    add_linear(theirs + names.query_key_value,
               joined(value(query_key + "weight"), value(values + "weight")),
               joined(value(query_key + "bias"), value(values + "bias")));
    add_same(theirs + names.output, ours + "mixer.output");
    add_norm(theirs + names.feed_forward_norm, ours + "feed_forward_norm");
    add_same(theirs + names.up, ours + "feed_forward.up");
    add_same(theirs + names.down, ours + "feed_forward.down");
  }
  add_norm(names.final_norm, "final_norm");
  if (!config.tied_unembedding)
    add(names.unembedding + std::string(".weight"), value("unembedding.weight"));
  return tensors;
}

ordered_json id_or_null(const std::optional<int32_t>& id) {
  return id ? ordered_json(*id) : ordered_json();
}

}  // namespace

std::vector<ForeignTensor> huggingface_weights(const Checkpoint& checkpoint) {
  return weights(checkpoint, kHuggingface, Layout::inputs_first);
}

std::vector<ForeignTensor> gguf_weights(const Checkpoint& checkpoint) {
  return weights(checkpoint, kGguf, Layout::outputs_first);
}

std::string huggingface_config(const CheckpointConfig& config) {
  const model::ModelConfig& model = config.model;
  return ordered_json{{"architectures", {"GPT2LMHeadModel"}},
                      {"model_type", "gpt2"},
                      {"vocab_size", model.vocabulary},
                      {"n_positions", model.context},
                      {"n_ctx", model.context},
                      {"n_embd", model.width},
                      {"n_layer", model.layers},
                      {"n_head", model.heads},
                      {"n_inner", model.feed_forward},
                      {"activation_function", "gelu_new"},
                      {"layer_norm_epsilon", model.norm_epsilon},
                      {"tie_word_embeddings", model.tied_unembedding},
                      {"bos_token_id", id_or_null(config.document_start)},
                      {"eos_token_id", id_or_null(config.end)},
                      {"embd_pdrop", 0.0},
                      {"attn_pdrop", 0.0},
                      {"resid_pdrop", 0.0},
                      {"torch_dtype", "float32"}}
             .dump(2) +
         "\n";
}

}  // namespace mesita::checkpoint
