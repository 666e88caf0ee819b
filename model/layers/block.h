#pragma once

#include <torch/nn/module.h>

#include <memory>
#include <span>

#include "model/config.h"
#include "model/layers/feed_forward.h"
#include "model/layers/layer_norm.h"
#include "model/layers/token_mixer.h"

namespace mesita::layers {

/// One pre-LayerNorm block: x += mixer(norm(x)); x += feed_forward(norm(x)).
class Block : public torch::nn::Module {
 public:
  explicit Block(const model::ModelConfig& config);

  /// x: [batch, time, width] -> [batch, time, width].
  at::Tensor forward(const at::Tensor& x, const RowDocuments& documents);

  void prepare_inference();
  std::unique_ptr<model::MixerState> new_state() const { return mixer_->new_state(); }
  /// x: [rows, width], changed in place; `layer` is this block's number (TokenMixer::advance).
  void advance(std::span<const model::RowSegment> segments, size_t layer, std::span<float> x) const;

 private:
  std::shared_ptr<LayerNorm> mixer_norm_;
  std::shared_ptr<TokenMixer> mixer_;
  std::shared_ptr<LayerNorm> feed_forward_norm_;
  std::shared_ptr<FeedForward> feed_forward_;
};

}  // namespace mesita::layers
