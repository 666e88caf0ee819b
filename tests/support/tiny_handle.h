#pragma once

#include <memory>
#include <utility>

#include "server/evaluation/model_handle.h"
#include "tests/support/tiny_parameters.h"

namespace mesita::testing {

/// A small model for a tokenizer, in memory.
struct TinyHandleOptions {
  int64_t context = 16;
  uint64_t seed = 1;
  std::optional<int32_t> document_start = 1;
  std::optional<int32_t> end = 2;
  model::PositionKind position = model::PositionKind::learned;
};

inline model::ModelConfig tiny_config(int64_t vocabulary, int64_t context) {
  model::ModelConfig config;
  config.vocabulary = vocabulary;
  config.context = context;
  config.width = 16;
  config.layers = 2;
  config.heads = 2;
  config.feed_forward = 24;
  return config;
}

inline std::shared_ptr<evaluation::ModelHandle> tiny_handle(
    std::shared_ptr<const tokenizer::Tokenizer> tokenizer, const TinyHandleOptions& options = {}) {
  auto handle = std::make_shared<evaluation::ModelHandle>();
  handle->id = "tiny";
  handle->config.model = tiny_config(tokenizer->size(), options.context);
  handle->config.model.position = options.position;
  handle->config.document_start = options.document_start;
  handle->config.end = options.end;
  std::shared_ptr<model::LanguageModel> language_model = model::make_language_model(
      handle->config.model, tiny_parameters(handle->config.model, options.seed));
  language_model->prepare_inference();
  handle->model = std::move(language_model);
  handle->tokenizer = std::move(tokenizer);
  return handle;
}

}  // namespace mesita::testing
