#include "model/layers/softmax_attention.h"

#include <ATen/autocast_mode.h>
#include <ATen/ops/scaled_dot_product_attention.h>

#include "model/kernels/aligned_array.h"
#include "model/kernels/causal_attention.h"
#include "model/kernels/parallel.h"
#include "model/kernels/rotary.h"
#include "model/layers/tensor_values.h"

namespace mesita::layers {
namespace {

class KeyValueState : public model::MixerState {
 public:
  KeyValueState(int64_t heads, int64_t head_width) : keys_values(heads, head_width) {}
  int64_t bytes() const override { return keys_values.bytes(); }

  kernels::KeyValues keys_values;
};

/// Under autocast, x in the type that products will use: cast here once instead of once for each.
at::Tensor product_input(const at::Tensor& x) {
  const at::DeviceType device = x.device().type();
  if (!at::autocast::is_autocast_enabled(device)) return x;
  return x.to(at::autocast::get_autocast_dtype(device));
}

std::vector<float> joined(std::vector<float> first, const std::vector<float>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace

SoftmaxAttention::SoftmaxAttention(const model::ModelConfig& config)
    : width_(config.width),
      heads_(config.heads),
      head_width_(config.head_width()),
      context_(config.context),
      rotary_base_(config.rotary_base),
      query_key_(register_module(
          "query_key",
          std::make_shared<Linear>(config.width, 2 * config.width, Linear::Bias::trained))),
      value_(register_module(
          "value", std::make_shared<Linear>(config.width, config.width, Linear::Bias::trained))),
      output_(register_module(
          "output", std::make_shared<Linear>(config.width, config.width, Linear::Bias::trained))) {
  if (config.position == model::PositionKind::rotary) {
    rotary_.emplace(context_, head_width_, rotary_base_);
  }
}

at::Tensor SoftmaxAttention::forward(const at::Tensor& x, const RowDocuments& documents) {
  const int64_t batch = x.size(0), time = x.size(1);
  const at::Tensor input = product_input(x);
  const std::vector<at::Tensor> query_key =
      query_key_->forward(input).view({batch, time, 2 * heads_, head_width_}).split(heads_, 2);
  at::Tensor query = query_key[0], key = query_key[1];  // [batch, time, heads, head_width]
  if (rotary_) {
    query = rotary_->rotate(query);
    key = rotary_->rotate(key);
  }
  const at::Tensor value = value_->forward(input).view({batch, time, heads_, head_width_});
  // Angles of rotary positions count from the row's beginning: only their differences matter.
  const bool whole_rows = documents.whole_rows();
  const at::Tensor mixed = at::scaled_dot_product_attention(
      query.transpose(1, 2), key.transpose(1, 2), value.transpose(1, 2),
      whole_rows ? std::optional<at::Tensor>() : documents.seen, /*dropout_p=*/0.0,
      /*is_causal=*/whole_rows);  // [batch, heads, time, head_width]
  return output_->forward(mixed.transpose(1, 2).reshape({batch, time, width_}));
}

void SoftmaxAttention::prepare_inference() {
  query_key_value_ = kernels::PackedMatrix(
      joined(float_values(query_key_->weight()), float_values(value_->weight())),
      joined(float_values(query_key_->bias()), float_values(value_->bias())), 3 * width_, width_);
  output_->prepare_inference();
  if (rotary_) {
    const kernels::RotaryTable table = kernels::rotary_table(context_, head_width_, rotary_base_);
    cosines_.assign(table.cosines.begin(), table.cosines.end());
    sines_.assign(table.sines.begin(), table.sines.end());
  }
}

std::unique_ptr<model::MixerState> SoftmaxAttention::new_state() const {
  return std::make_unique<KeyValueState>(heads_, head_width_);
}

void SoftmaxAttention::advance(std::span<const model::RowSegment> segments, size_t layer,
                               std::span<const float> x, std::span<float> y) const {
  const auto width = static_cast<size_t>(width_), pairs = static_cast<size_t>(head_width_ / 2);
  const auto rows = static_cast<int64_t>(x.size() / width);
  kernels::AlignedArray projected(3 * rows * width_);  // per row: query, key, value
  kernels::AlignedArray mixed(rows * width_);
  multiply(query_key_value_, x, {projected.data(), 3 * x.size()});

  // All keys and values are entered before any query looks; what a query may see is bounded by its
  // own position.
  struct Row {
    const kernels::KeyValues* seen;
    int64_t length;
  };
  std::vector<Row> row_of(static_cast<size_t>(rows));
  int64_t longest = 0;
  for (const model::RowSegment& segment : segments) {
    auto& state = static_cast<KeyValueState&>(*segment.sequence->layers[layer]);
    for (int64_t i = 0; i < segment.rows; ++i) {
      const int64_t position = segment.sequence->length + i;
      float* query = projected.data() + (segment.first_row + i) * 3 * width_;
      if (rotary_) {
        const size_t angle = static_cast<size_t>(position) * pairs;
        kernels::rotate({query, 2 * width}, std::span(cosines_).subspan(angle, pairs),
                        std::span(sines_).subspan(angle, pairs));
      }
      state.keys_values.put(position, {query + width, width}, {query + 2 * width, width});
      row_of[static_cast<size_t>(segment.first_row + i)] = {&state.keys_values, position + 1};
      longest = std::max(longest, position + 1);
    }
  }

  kernels::parallel(rows * heads_, 2 * longest * head_width_, [&](int64_t first, int64_t last) {
    std::vector<float> scores(static_cast<size_t>(kernels::KeyValues::score_space(longest)));
    const auto head_width = static_cast<size_t>(head_width_);
    for (int64_t item = first; item < last; ++item) {
      const int64_t row = item / heads_, head = item % heads_;
      const auto [seen, length] = row_of[static_cast<size_t>(row)];
      seen->attend(head, {projected.data() + row * 3 * width_ + head * head_width_, head_width},
                   length, scores, {mixed.data() + row * width_ + head * head_width_, head_width});
    }
  });
  output_->apply_rows({mixed.data(), x.size()}, y);
}

}  // namespace mesita::layers
