#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "model/checkpoint/checkpoint.h"
#include "model/initialization.h"
#include "tests/support/files.h"

namespace mesita::testing {

/// A model of a few hundred numbers.
inline model::ModelConfig tiny_model_config() {
  model::ModelConfig config;
  config.vocabulary = 5;
  config.context = 4;
  config.width = 4;
  config.layers = 1;
  config.heads = 2;
  config.feed_forward = 6;
  return config;
}

/// Everything about a tiny checkpoint but its tokenizer: trained by `roles`, whose tensors differ
/// from their initial values.
struct TinyCheckpoint {
  explicit TinyCheckpoint(std::string_view roles = "embeddings") {
    config.model = tiny_model_config();
    config.document_start = 1;
    config.end = 2;
    config.trained = model::trained_roles(roles);
    config.seed = 7;
    config.trained_on = "numbers";
    draw();
  }

  /// Gives the parameters the values that `config` means.
  void draw() {
    parameters = model::initial_values(config.model, config.seed);
    for (const model::ParameterSpec& spec : model::parameter_specs(config.model)) {
      for (const model::ParameterRole role : config.trained) {
        if (role != spec.role) continue;
        float step = 0.0F;
        for (float& value : parameters[spec.name].values) value += 0.01F * (step += 1.0F);
      }
    }
  }

  /// Saves to `folder`, with a tokenizer of ids alone that lies beside it.
  void save(const std::filesystem::path& folder,
            checkpoint::Form form = checkpoint::Form::compact) const {
    const std::filesystem::path tokenizer = folder.parent_path() / "tiny-tokenizer";
    std::filesystem::create_directories(tokenizer);
    write_file(tokenizer / "none.json",
               "{\"size\": " + std::to_string(config.model.vocabulary) + "}\n");
    checkpoint::save_checkpoint(folder, config, parameters, tokenizer, form);
  }

  checkpoint::CheckpointConfig config;
  model::ParameterArrays parameters;
};

}  // namespace mesita::testing
