#pragma once

#include <filesystem>
#include <string>

namespace mesita::training {

/// Writes a checkpoint as a folder that Hugging Face's transformers loads: GPT2LMHeadModel
/// (config.json, model.safetensors) and, where the tokenizer has text, PreTrainedTokenizerFast
/// (tokenizer.json, tokenizer_config.json). `checkpoint`: a checkpoint or run folder. `out` must
/// not exist or be empty; it appears whole or not at all. Throws std::invalid_argument for what the
/// format cannot hold, with the reason, std::runtime_error for what cannot be read or written.
void export_huggingface(const std::filesystem::path& checkpoint, const std::filesystem::path& out);

/// Writes a checkpoint as a file that llama.cpp loads: GGUF, architecture gpt2, float32, with its
/// SentencePiece BPE. `out` must not exist. Throws as export_huggingface.
void export_gguf(const std::filesystem::path& checkpoint, const std::filesystem::path& out);

}  // namespace mesita::training
