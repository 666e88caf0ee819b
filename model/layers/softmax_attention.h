#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "model/kernels/packed_matrix.h"
#include "model/layers/linear.h"
#include "model/layers/rotary_positions.h"
#include "model/layers/token_mixer.h"

namespace mesita::layers {

/// Causal multi-head attention (Vaswani et al. 2017): for each head,
/// y_t = sum_{s <= t} softmax_s(q_t . k_s / sqrt(head_width)) v_s; heads side by side go through a
/// last linear map. With rotary positions q and k are turned first.
class SoftmaxAttention : public TokenMixer {
 public:
  explicit SoftmaxAttention(const model::ModelConfig& config);

  at::Tensor forward(const at::Tensor& x, const RowDocuments& documents) override;

  void prepare_inference() override;
  std::unique_ptr<model::MixerState> new_state() const override;
  void advance(std::span<const model::RowSegment> segments, size_t layer, std::span<const float> x,
               std::span<float> y) const override;

 private:
  int64_t width_, heads_, head_width_, context_;
  double rotary_base_;
  std::shared_ptr<Linear> query_key_;  // width -> 2 width, queries first
  std::shared_ptr<Linear> value_;      // width -> width
  std::shared_ptr<Linear> output_;     // width -> width
  std::optional<RotaryPositions> rotary_;

  kernels::PackedMatrix query_key_value_;  // width -> 3 width
  std::vector<float> cosines_, sines_;     // [context, head_width / 2] with rotary positions
};

}  // namespace mesita::layers
