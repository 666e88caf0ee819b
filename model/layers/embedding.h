#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <span>
#include <vector>

namespace mesita::layers {

/// A table with one vector per index: token ids, or learned absolute positions.
class Embedding : public torch::nn::Module {
 public:
  Embedding(int64_t entries, int64_t width);

  /// indices: int64 [batch, ...] -> [batch, ..., width]; with members their batches one after
  /// another.
  at::Tensor forward(const at::Tensor& indices) const;
  /// The entries 0 .. count - 1 for each of `batch` rows, as what can be added to [batch, count,
  /// width]: what positions add.
  at::Tensor first(int64_t count, int64_t batch) const;

  void prepare_inference();
  /// Entry `index`, [width].
  std::span<const float> row(int64_t index) const;

  const at::Tensor& weight() const { return weight_; }

 private:
  at::Tensor weight_;          // [entries, width], or [members, entries, width]
  std::vector<float> values_;  // the same, for inference
};

}  // namespace mesita::layers
