#include "model/transformer.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "model/kernels/row_operations.h"
#include "model/layers/block.h"
#include "model/layers/embedding.h"
#include "model/layers/layer_norm.h"
#include "model/layers/linear.h"
#include "model/layers/tensor_values.h"

namespace mesita::model {

Transformer::Transformer(const ModelConfig& config)
    : config_(config),
      root_(std::make_shared<torch::nn::Module>()),
      token_embedding_(root_->register_module(
          "token_embedding",
          std::make_shared<layers::Embedding>(config.vocabulary, config.width))) {
  if (config.position == PositionKind::learned) {
    position_embedding_ = root_->register_module(
        "position_embedding", std::make_shared<layers::Embedding>(config.context, config.width));
  }
  const auto blocks = root_->register_module("blocks", std::make_shared<torch::nn::Module>());
  for (int64_t i = 0; i < config.layers; ++i) {
    blocks_.push_back(
        blocks->register_module(std::to_string(i), std::make_shared<layers::Block>(config)));
  }
  final_norm_ = root_->register_module(
      "final_norm", std::make_shared<layers::LayerNorm>(config.width, config.norm_epsilon));
  if (!config.tied_unembedding) {
    unembedding_ = root_->register_module(
        "unembedding", std::make_shared<layers::Linear>(config.width, config.vocabulary,
                                                        layers::Linear::Bias::none));
  }
}

at::Tensor Transformer::hidden(const at::Tensor& ids, const at::Tensor& starts) {
  if (ids.dim() != 2 || ids.scalar_type() != at::kLong) {
    throw std::invalid_argument("Transformer::hidden: ids must be int64 [batch, time]");
  }
  const int64_t time = ids.size(1);
  if (time > config_.context) {
    throw std::invalid_argument("Transformer::hidden: " + std::to_string(time) +
                                " tokens, but the context is " + std::to_string(config_.context));
  }
  if (starts.defined() && (starts.sizes() != ids.sizes() || starts.scalar_type() != at::kLong)) {
    throw std::invalid_argument("Transformer::hidden: starts must be int64 [batch, time]");
  }
  const layers::RowDocuments documents = layers::row_documents(starts);
  at::Tensor x = token_embedding_->forward(ids);  // [batch, time, width]
  if (position_embedding_) {
    x = x + (documents.whole_rows()
                 ? position_embedding_->first(time, ids.size(0))
                 : position_embedding_->forward(at::arange(time, starts.options()) - starts));
  }
  for (const auto& block : blocks_) x = block->forward(x, documents);
  return final_norm_->forward(x);
}

at::Tensor Transformer::unembedding() const {
  return unembedding_ ? unembedding_->weight() : token_embedding_->weight();
}

std::vector<std::pair<std::string, at::Tensor>> Transformer::named_parameters() const {
  std::vector<std::pair<std::string, at::Tensor>> named;
  for (const auto& item : root_->named_parameters()) named.emplace_back(item.key(), item.value());
  return named;
}

void Transformer::to(at::Device device, at::ScalarType type) {
  root_->to(device, type);
}

void Transformer::prepare_inference() {
  if (members() > 1)
    throw std::logic_error("Transformer::prepare_inference: a model of several members");
  token_embedding_->prepare_inference();
  if (position_embedding_) position_embedding_->prepare_inference();
  for (const auto& block : blocks_) block->prepare_inference();
  final_norm_->prepare_inference();
  packed_unembedding_ = kernels::PackedMatrix(layers::float_values(unembedding()), {},
                                              config_.vocabulary, config_.width);
}

SequenceState Transformer::new_sequence() const {
  SequenceState sequence;
  for (const auto& block : blocks_) sequence.layers.push_back(block->new_state());
  return sequence;
}

void Transformer::check_rows(std::span<const RowSegment> segments, std::span<const int32_t> ids,
                             std::span<float> hidden) const {
  if (packed_unembedding_.outputs() == 0) {
    throw std::invalid_argument("Transformer::advance: call prepare_inference first");
  }
  if (hidden.size() != ids.size() * static_cast<size_t>(config_.width)) {
    throw std::invalid_argument("Transformer::advance: hidden must be [rows, width]");
  }
  for (const int32_t id : ids) {
    if (id < 0 || id >= config_.vocabulary) {
      throw std::invalid_argument("Transformer::advance: id " + std::to_string(id) +
                                  " is outside the vocabulary of " +
                                  std::to_string(config_.vocabulary));
    }
  }
  int64_t rows = 0;
  std::set<const SequenceState*> sequences;
  for (const RowSegment& segment : segments) {
    if (segment.first_row != rows || segment.rows < 1 ||
        !sequences.insert(segment.sequence).second) {
      throw std::invalid_argument(
          "Transformer::advance: segments must partition the rows in order, one per sequence");
    }
    rows += segment.rows;
    if (segment.sequence->length + segment.rows > config_.context) {
      throw std::invalid_argument("Transformer::advance: a sequence of " +
                                  std::to_string(segment.sequence->length + segment.rows) +
                                  " tokens, but the context is " + std::to_string(config_.context));
    }
  }
  if (rows != static_cast<int64_t>(ids.size())) {
    throw std::invalid_argument("Transformer::advance: segments cover " + std::to_string(rows) +
                                " rows, but there are " + std::to_string(ids.size()) + " ids");
  }
}

void Transformer::advance(std::span<const RowSegment> segments, std::span<const int32_t> ids,
                          std::span<float> hidden) const {
  check_rows(segments, ids, hidden);
  const auto width = static_cast<size_t>(config_.width);
  std::vector<float> x(hidden.size());  // [rows, width]
  for (const RowSegment& segment : segments) {
    for (int64_t i = 0; i < segment.rows; ++i) {
      const auto row = static_cast<size_t>(segment.first_row + i);
      const std::span<float> vector(x.data() + row * width, width);
      std::ranges::copy(token_embedding_->row(ids[row]), vector.begin());
      if (position_embedding_) {
        kernels::add(position_embedding_->row(segment.sequence->length + i), vector);
      }
    }
  }
  for (size_t layer = 0; layer < blocks_.size(); ++layer) {
    blocks_[layer]->advance(segments, layer, x);
  }
  final_norm_->apply_rows(x, hidden);
  for (const RowSegment& segment : segments) segment.sequence->length += segment.rows;
}

void Transformer::logits(std::span<const float> hidden, std::span<float> logits) const {
  layers::multiply(packed_unembedding_, hidden, logits);
}

}  // namespace mesita::model
