#include "tests/support/tiny_model.h"

#include "model/kernels/seeded_normal.h"
#include "tests/support/tiny_parameters.h"

namespace mesita::testing {

model::ModelConfig tiny_config() {
  model::ModelConfig config;
  config.vocabulary = 61;
  config.context = 48;
  config.width = 40;
  config.layers = 2;
  config.heads = 4;
  config.feed_forward = 104;
  return config;
}

std::shared_ptr<model::LanguageModel> tiny_model(const model::ModelConfig& config, uint64_t seed) {
  std::shared_ptr<model::LanguageModel> model =
      model::make_language_model(config, tiny_parameters(config, seed));
  model->prepare_inference();
  return model;
}

std::vector<int32_t> random_ids(int64_t count, int64_t vocabulary, uint64_t seed) {
  std::vector<int32_t> ids;
  for (int64_t i = 0; i < count; ++i) {
    const double uniform = kernels::seeded_uniform(seed, 77, static_cast<uint64_t>(i));
    ids.push_back(static_cast<int32_t>(uniform * static_cast<double>(vocabulary)));
  }
  return ids;
}

}  // namespace mesita::testing
