#include "model/layers/token_mixer.h"

#include <stdexcept>

#include "model/layers/softmax_attention.h"

namespace mesita::layers {

std::shared_ptr<TokenMixer> make_token_mixer(const model::ModelConfig& config) {
  switch (config.mixer) {
    case model::MixerKind::softmax:
      return std::make_shared<SoftmaxAttention>(config);
  }
  throw std::invalid_argument("make_token_mixer: unknown mixer kind");
}

}  // namespace mesita::layers
