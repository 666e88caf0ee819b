#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/checkpoint/checkpoint.h"
#include "model/language_model.h"
#include "tokenizer/tokenizer.h"

namespace mesita::evaluation {

/// A loaded model with its tokenizer, ready for inference. Shared, immutable.
struct ModelHandle {
  std::string id;
  std::filesystem::path folder;
  checkpoint::CheckpointConfig config;
  std::string frozen, core, hash;  // see checkpoint::Checkpoint
  std::shared_ptr<const model::LanguageModel> model;
  std::shared_ptr<const tokenizer::Tokenizer> tokenizer;
  int64_t parameters = 0;  // numbers of elements
  int64_t trained_parameters = 0;
};

/// Loads a checkpoint folder (a run folder counts as its checkpoints/best). Throws
/// std::runtime_error with folder and reason, also when the tokenizer's size is not the vocabulary,
/// or when the folder is replaced while it is read, and again at the second try.
std::shared_ptr<const ModelHandle> load_model(const std::filesystem::path& folder, std::string id);

/// The folder that a model argument means: a checkpoint or run folder of that name, else the
/// shipped model of that id (a folder in model/pretrained). Throws std::runtime_error that lists
/// the shipped models when it is neither.
std::filesystem::path resolve_model(const std::string& name);

/// `document_start` (if any) followed by the ids of the text: how string prompts and documents are
/// encoded everywhere.
std::vector<int32_t> encode_document(const ModelHandle& model, std::string_view text);

}  // namespace mesita::evaluation
