#include "model/layers/token_mixer.h"

#include <stdexcept>

#include "model/layers/softmax_attention.h"
#include "tests/model/layers/layer_values.h"

namespace mesita::layers {
namespace {

TEST(TokenMixer, TheConfigurationNamesTheMixer) {
  model::ModelConfig config;
  EXPECT_NE(std::dynamic_pointer_cast<SoftmaxAttention>(make_token_mixer(config)), nullptr);
  config.mixer = static_cast<model::MixerKind>(99);
  EXPECT_THROW(make_token_mixer(config), std::invalid_argument);
}

}  // namespace
}  // namespace mesita::layers
