#include "model/layers/block.h"

#include <ATen/core/Tensor.h>

#include "model/kernels/aligned_array.h"
#include "model/kernels/row_operations.h"

namespace mesita::layers {

Block::Block(const model::ModelConfig& config)
    : mixer_norm_(register_module("mixer_norm",
                                  std::make_shared<LayerNorm>(config.width, config.norm_epsilon))),
      mixer_(register_module("mixer", make_token_mixer(config))),
      feed_forward_norm_(register_module(
          "feed_forward_norm", std::make_shared<LayerNorm>(config.width, config.norm_epsilon))),
      feed_forward_(register_module("feed_forward", std::make_shared<FeedForward>(config))) {}

at::Tensor Block::forward(const at::Tensor& x, const RowDocuments& documents) {
  const at::Tensor mixed = x + mixer_->forward(mixer_norm_->forward(x), documents);
  return mixed + feed_forward_->forward(feed_forward_norm_->forward(mixed));
}

void Block::prepare_inference() {
  mixer_norm_->prepare_inference();
  mixer_->prepare_inference();
  feed_forward_norm_->prepare_inference();
  feed_forward_->prepare_inference();
}

void Block::advance(std::span<const model::RowSegment> segments, size_t layer,
                    std::span<float> x) const {
  const auto count = static_cast<int64_t>(x.size());
  kernels::AlignedArray normal_values(count), change_values(count);
  const std::span<float> normal(normal_values.data(), x.size());
  const std::span<float> change(change_values.data(), x.size());

  mixer_norm_->apply_rows(x, normal);
  mixer_->advance(segments, layer, normal, change);
  kernels::add(change, x);

  feed_forward_norm_->apply_rows(x, normal);
  feed_forward_->apply_rows(normal, change);
  kernels::add(change, x);
}

}  // namespace mesita::layers
