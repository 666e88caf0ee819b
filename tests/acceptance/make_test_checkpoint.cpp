// mesita-make-test-checkpoint DIR: writes small checkpoints of seeded random values, with a
// SentencePiece tokenizer that is trained here on made-up text. The client tests serve them.

#include <cstdio>
#include <exception>
#include <filesystem>

#include "model/checkpoint/checkpoint.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tiny_parameters.h"
#include "tests/support/tiny_tokenizer.h"

namespace {

using namespace mesita;
namespace fs = std::filesystem;

checkpoint::CheckpointConfig small_config(const tokenizer::Tokenizer& tokenizer,
                                          std::string_view trained) {
  checkpoint::CheckpointConfig config;
  config.model.vocabulary = tokenizer.size();
  config.model.context = 256;
  config.model.width = 32;
  config.model.layers = 2;
  config.model.heads = 2;
  config.model.feed_forward = 64;
  config.document_start = tokenizer.special_id("<s>");
  config.end = tokenizer.special_id("</s>");
  config.trained = model::trained_roles(trained);
  config.seed = 20;
  config.trained_on = "nothing: random values for tests";
  return config;
}

// "Trained" tensors are random on a scale that tells tokens apart, frozen ones are the seed's own.
model::ParameterArrays values_of(const checkpoint::CheckpointConfig& config) {
  model::ParameterArrays values = model::initial_values(config.model, config.seed);
  model::ParameterArrays random = testing::tiny_parameters(config.model, config.seed + 1);
  for (const model::ParameterSpec& spec : model::parameter_specs(config.model)) {
    for (const model::ParameterRole role : config.trained) {
      if (role == spec.role) values[spec.name] = std::move(random[spec.name]);
    }
  }
  return values;
}

void write_checkpoints(const fs::path& folder) {
  const auto tokenizer = testing::tiny_sentencepiece_tokenizer();
  const testing::TemporaryDirectory temporary;
  tokenizer->save(temporary.path());

  const auto whole = small_config(*tokenizer, "all");
  checkpoint::save_checkpoint(folder / "tiny-all", whole, values_of(whole), temporary.path(),
                              checkpoint::Form::full);

  auto embeddings = small_config(*tokenizer, "embeddings");
  embeddings.storage = checkpoint::StorageType::bfloat16;
  checkpoint::save_checkpoint(folder / "tiny-embeddings", embeddings, values_of(embeddings),
                              temporary.path(), checkpoint::Form::compact);

  // Can be kept busy for long, so that a client has time to leave.
  auto endless = small_config(*tokenizer, "all");
  endless.model.context = 65536;
  endless.model.position = model::PositionKind::rotary;
  checkpoint::save_checkpoint(folder / "tiny-long", endless, values_of(endless), temporary.path(),
                              checkpoint::Form::full);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: mesita-make-test-checkpoint DIR\n");
    return 2;
  }
  try {
    std::filesystem::create_directories(argv[1]);
    write_checkpoints(argv[1]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mesita-make-test-checkpoint: %s\n", error.what());
    return 1;
  }
}
