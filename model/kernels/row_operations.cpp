#include "model/kernels/row_operations.h"

#include <cmath>

#include "model/kernels/lanes.h"

namespace mesita::kernels {
namespace {

MESITA_INLINE void layer_norm_row(const float* x, const float* weight, const float* bias,
                                  float epsilon, float* y, int64_t width) {
  Lanes total = {};
  for (int64_t i = 0; i < width; i += kLanes) total += load_first(x + i, width - i);
  const float mean = sum(total) / static_cast<float>(width);

  Lanes squares = {};
  int64_t i = 0;
  for (; i + kLanes <= width; i += kLanes) {
    const Lanes distance = load(x + i) - mean;
    squares += distance * distance;
  }
  if (i < width) {
    const LaneIntegers inside = lane_numbers() < static_cast<int32_t>(width - i);
    const Lanes distance = inside ? load_first(x + i, width - i) - mean : Lanes{};
    squares += distance * distance;
  }
  const float variance = sum(squares) / static_cast<float>(width);
  const float scale = 1.0f / std::sqrt(variance + epsilon);

  for (i = 0; i < width; i += kLanes) {
    const int64_t rest = width - i;
    const Lanes normal = (load_first(x + i, rest) - mean) * scale;
    store_first(y + i, normal * load_first(weight + i, rest) + load_first(bias + i, rest), rest);
  }
}

MESITA_INLINE void layer_norm_rows(const float* x, const float* weight, const float* bias,
                                   float epsilon, float* y, int64_t rows, int64_t width) {
  for (int64_t row = 0; row < rows; ++row) {
    layer_norm_row(x + row * width, weight, bias, epsilon, y + row * width, width);
  }
}

constexpr float kRoot = 0.7978845608f;  // sqrt(2 / pi)
constexpr float kCubic = 0.044715f;

MESITA_INLINE void gelu_values(float* x, int64_t count) {
  for (int64_t i = 0; i < count; i += kLanes) {
    const Lanes value = load_first(x + i, count - i);
    // (1 + tanh u) / 2 = 1 / (1 + e^-2u)
    const Lanes u = kRoot * (value + kCubic * value * value * value);
    store_first(x + i, value / (1.0f + exponential(-2.0f * u)), count - i);
  }
}

MESITA_INLINE void gelu_gradients(const float* x, float* dy, int64_t count) {
  for (int64_t i = 0; i < count; i += kLanes) {
    const Lanes value = load_first(x + i, count - i);
    const Lanes square = value * value;
    // With s = 1 / (1 + e^-2u): (x s)' = s + x s (1 - s) 2 u'
    const Lanes u = kRoot * (value + kCubic * square * value);
    const Lanes s = 1.0f / (1.0f + exponential(-2.0f * u));
    const Lanes slope = 2.0f * kRoot * (1.0f + 3.0f * kCubic * square);
    const Lanes derivative = s + value * (s * (1.0f - s)) * slope;
    store_first(dy + i, load_first(dy + i, count - i) * derivative, count - i);
  }
}

MESITA_INLINE void add_values(const float* x, float* y, int64_t count) {
  for (int64_t i = 0; i < count; i += kLanes) {
    const int64_t rest = count - i;
    store_first(y + i, load_first(y + i, rest) + load_first(x + i, rest), rest);
  }
}

int64_t count_of(std::span<const float> values) {
  return static_cast<int64_t>(values.size());
}

}  // namespace

void layer_norm(std::span<const float> x, std::span<const float> weight,
                std::span<const float> bias, float epsilon, std::span<float> y,
                InstructionSet set) {
  const int64_t width = count_of(weight);
  call<layer_norm_rows>(set, x.data(), weight.data(), bias.data(), epsilon, y.data(),
                        count_of(x) / width, width);
}

void gelu(std::span<float> x, InstructionSet set) {
  call<gelu_values>(set, x.data(), count_of(x));
}

void gelu_gradient(std::span<const float> x, std::span<float> dy, InstructionSet set) {
  call<gelu_gradients>(set, x.data(), dy.data(), count_of(x));
}

void add(std::span<const float> x, std::span<float> y, InstructionSet set) {
  call<add_values>(set, x.data(), y.data(), count_of(x));
}

}  // namespace mesita::kernels
