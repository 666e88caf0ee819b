#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/kernels/packed_matrix.h"
#include "model/language_model.h"

namespace torch::nn {
class Module;
}
namespace mesita::layers {
class Block;
class Embedding;
class LayerNorm;
class Linear;
}  // namespace mesita::layers

namespace mesita::model {

/// GPT-2's shape (Radford et al. 2019) around any token mixer: token embedding, learned positions
/// where the configuration has them, blocks, a final LayerNorm and the unembedding.
class Transformer : public LanguageModel {
 public:
  /// Parameters are not initialised: make_language_model enters their values.
  explicit Transformer(const ModelConfig& config);

  const ModelConfig& config() const override { return config_; }

  at::Tensor hidden(const at::Tensor& ids, const at::Tensor& starts) override;
  at::Tensor unembedding() const override;
  std::vector<std::pair<std::string, at::Tensor>> named_parameters() const override;
  void to(at::Device device, at::ScalarType type) override;

  void prepare_inference() override;
  SequenceState new_sequence() const override;
  void advance(std::span<const RowSegment> segments, std::span<const int32_t> ids,
               std::span<float> hidden) const override;
  void logits(std::span<const float> hidden, std::span<float> logits) const override;

 private:
  void check_rows(std::span<const RowSegment> segments, std::span<const int32_t> ids,
                  std::span<float> hidden) const;

  ModelConfig config_;
  std::shared_ptr<torch::nn::Module> root_;  // owns the names: its children are the parts below
  std::shared_ptr<layers::Embedding> token_embedding_;
  std::shared_ptr<layers::Embedding> position_embedding_;  // null without learned positions
  std::vector<std::shared_ptr<layers::Block>> blocks_;
  std::shared_ptr<layers::LayerNorm> final_norm_;
  std::shared_ptr<layers::Linear> unembedding_;  // null when tied to the token embedding
  kernels::PackedMatrix packed_unembedding_;     // width -> vocabulary, for inference
};

}  // namespace mesita::model
