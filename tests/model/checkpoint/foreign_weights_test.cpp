#include "model/checkpoint/foreign_weights.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "tests/support/tiny_checkpoint.h"

namespace mesita::checkpoint {
namespace {

Checkpoint tiny(bool tied = false) {
  testing::TinyCheckpoint source("all");
  source.config.model.tied_unembedding = tied;
  source.draw();
  Checkpoint checkpoint;
  checkpoint.config = source.config;
  checkpoint.parameters = source.parameters;
  return checkpoint;
}

std::map<std::string, model::ParameterArray> by_name(std::vector<ForeignTensor> tensors) {
  std::map<std::string, model::ParameterArray> result;
  for (ForeignTensor& tensor : tensors) result[tensor.name] = std::move(tensor.array);
  return result;
}

TEST(ForeignWeights, OfTransformersHaveInputsFirst) {
  const Checkpoint checkpoint = tiny();
  const auto tensors = by_name(huggingface_weights(checkpoint));
  EXPECT_EQ(tensors.size(), 2u + 12u + 2u + 1u);
  const auto& joined = tensors.at("transformer.h.0.attn.c_attn.weight");
  EXPECT_EQ(joined.shape, (std::vector<int64_t>{4, 12}));
  const auto& query_key = checkpoint.parameters.at("blocks.0.mixer.query_key.weight").values;
  const auto& value = checkpoint.parameters.at("blocks.0.mixer.value.weight").values;
  for (size_t in = 0; in < 4; ++in) {
    for (size_t out = 0; out < 12; ++out)
      EXPECT_EQ(joined.values[in * 12 + out],
                out < 8 ? query_key[out * 4 + in] : value[(out - 8) * 4 + in]);
  }
  EXPECT_EQ(tensors.at("transformer.h.0.attn.c_attn.bias").shape, std::vector<int64_t>{12});
  EXPECT_EQ(tensors.at("transformer.h.0.mlp.c_fc.weight").shape, (std::vector<int64_t>{4, 6}));
  EXPECT_EQ(tensors.at("lm_head.weight").values,
            checkpoint.parameters.at("unembedding.weight").values);
}

TEST(ForeignWeights, OfLlamaCppLieAsOurs) {
  const Checkpoint checkpoint = tiny();
  const auto tensors = by_name(gguf_weights(checkpoint));
  EXPECT_EQ(tensors.at("blk.0.attn_qkv.weight").shape, (std::vector<int64_t>{12, 4}));
  EXPECT_EQ(tensors.at("blk.0.ffn_down.weight").values,
            checkpoint.parameters.at("blocks.0.feed_forward.down.weight").values);
  EXPECT_TRUE(tensors.contains("output.weight"));
  EXPECT_FALSE(by_name(gguf_weights(tiny(true))).contains("output.weight")) << "tied";
}

TEST(ForeignWeights, WithoutPositionsThereAreZeros) {
  Checkpoint checkpoint = tiny();
  checkpoint.config.model.position = model::PositionKind::none;
  const auto tensors = by_name(huggingface_weights(checkpoint));
  EXPECT_EQ(tensors.at("transformer.wpe.weight").values, std::vector<float>(16));
  checkpoint.config.model.position = model::PositionKind::rotary;
  EXPECT_THROW(huggingface_weights(checkpoint), std::invalid_argument);
  EXPECT_THROW(gguf_weights(checkpoint), std::invalid_argument);
}

TEST(ForeignWeights, TheConfigIsGpt2s) {
  const auto config = nlohmann::json::parse(huggingface_config(tiny(true).config));
  EXPECT_EQ(config["architectures"][0], "GPT2LMHeadModel");
  EXPECT_EQ(config["n_inner"], 6);
  EXPECT_EQ(config["activation_function"], "gelu_new");
  EXPECT_EQ(config["bos_token_id"], 1);
  EXPECT_EQ(config["tie_word_embeddings"], true);
}

}  // namespace
}  // namespace mesita::checkpoint
