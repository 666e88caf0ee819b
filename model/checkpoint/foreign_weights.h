#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/checkpoint/checkpoint.h"

namespace mesita::checkpoint {

/// A tensor under the name that another program knows.
struct ForeignTensor {
  std::string name;
  model::ParameterArray array;
};

/// The weights as GPT2LMHeadModel of Hugging Face's transformers names and lays them out: weights
/// of blocks as [inputs, outputs], queries, keys and values joined. Throws std::invalid_argument
/// with the reason for a model that GPT-2 cannot hold (rotary positions).
std::vector<ForeignTensor> huggingface_weights(const Checkpoint& checkpoint);

/// Its config.json.
std::string huggingface_config(const CheckpointConfig& config);

/// The weights as llama.cpp's architecture "gpt2" names them; layout as ours, queries, keys and
/// values joined. Throws as huggingface_weights.
std::vector<ForeignTensor> gguf_weights(const Checkpoint& checkpoint);

}  // namespace mesita::checkpoint
