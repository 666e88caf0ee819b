#include "model/layers/feed_forward.h"

#include <algorithm>

#include "model/kernels/aligned_array.h"
#include "model/kernels/parallel.h"
#include "model/kernels/row_operations.h"
#include "model/layers/gelu.h"

namespace mesita::layers {
namespace {

// Rows at a time: enough for the products, few enough for the hidden vectors to stay in the cache.
constexpr int64_t kRows = 256;

void gelu_in_parallel(std::span<float> values) {
  constexpr int64_t kPiece = 1024;
  constexpr int64_t kCost = 8;  // multiplications per value
  const auto count = static_cast<int64_t>(values.size());
  kernels::parallel((count + kPiece - 1) / kPiece, kPiece * kCost,
                    [&](int64_t first, int64_t last) {
                      const int64_t end = std::min(count, last * kPiece);
                      kernels::gelu(values.subspan(static_cast<size_t>(first * kPiece),
                                                   static_cast<size_t>(end - first * kPiece)));
                    });
}

}  // namespace

FeedForward::FeedForward(const model::ModelConfig& config)
    : width_(config.width),
      hidden_width_(config.feed_forward),
      up_(register_module("up", std::make_shared<Linear>(config.width, config.feed_forward,
                                                         Linear::Bias::trained))),
      down_(register_module("down", std::make_shared<Linear>(config.feed_forward, config.width,
                                                             Linear::Bias::trained))) {}

at::Tensor FeedForward::forward(const at::Tensor& x) const {
  return down_->forward(layers::gelu(up_->forward(x)));
}

void FeedForward::prepare_inference() {
  up_->prepare_inference();
  down_->prepare_inference();
}

void FeedForward::apply_rows(std::span<const float> x, std::span<float> y) const {
  const auto rows = static_cast<int64_t>(x.size()) / width_;
  kernels::AlignedArray scratch(std::min(rows, kRows) * hidden_width_);
  for (int64_t row = 0; row < rows; row += kRows) {
    const int64_t count = std::min(kRows, rows - row);
    const auto at = static_cast<size_t>(row * width_), size = static_cast<size_t>(count * width_);
    const std::span<float> hidden(scratch.data(), static_cast<size_t>(count * hidden_width_));
    up_->apply_rows(x.subspan(at, size), hidden);
    gelu_in_parallel(hidden);
    down_->apply_rows(hidden, y.subspan(at, size));
  }
}

}  // namespace mesita::layers
