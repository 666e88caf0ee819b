#pragma once

#include <torch/nn/module.h>

#include <memory>
#include <span>

#include "model/config.h"
#include "model/layers/row_documents.h"
#include "model/sequence_state.h"

namespace mesita::layers {

/// The part of a block that moves information between positions. A new kind is a class behind this
/// interface and a line in make_token_mixer.
class TokenMixer : public torch::nn::Module {
 public:
  /// x: [batch, time, width] -> [batch, time, width]; causal, and inside `documents`.
  virtual at::Tensor forward(const at::Tensor& x, const RowDocuments& documents) = 0;

  /// Copies weights into the layout of advance().
  virtual void prepare_inference() = 0;
  /// State before the first token.
  virtual std::unique_ptr<model::MixerState> new_state() const = 0;
  /// x, y: [rows, width], row-major. For each segment, reads and extends the state of this layer,
  /// sequence->layers[layer]; positions start at sequence->length, which the caller moves.
  virtual void advance(std::span<const model::RowSegment> segments, size_t layer,
                       std::span<const float> x, std::span<float> y) const = 0;
};

/// The mixer that config.mixer names.
std::shared_ptr<TokenMixer> make_token_mixer(const model::ModelConfig& config);

}  // namespace mesita::layers
