#include "model/kernels/row_operations.h"

#include <cmath>

#include "model/kernels/lanes.h"

namespace mesita::kernels {
namespace {

template <int kWidth>
MESITA_INLINE void layer_norm_row(const float* x, const float* weight, const float* bias,
                                  float epsilon, float* y, int64_t width) {
  const int64_t whole = width / kLanes * kLanes, rest = width - whole;
  Lanes<kWidth> total = {};
  for (int64_t i = 0; i < whole; i += kLanes) total += load<kWidth>(x + i);
  if (rest > 0) total += load_first<kWidth>(x + whole, rest);
  const float mean = sum<kWidth>(total) / static_cast<float>(width);

  Lanes<kWidth> squares = {};
  for (int64_t i = 0; i < whole; i += kLanes) {
    const Lanes<kWidth> distance = load<kWidth>(x + i) - mean;
    squares += distance * distance;
  }
  if (rest > 0) {
    const Lanes<kWidth> distance =
        first_lanes<kWidth>(load_first<kWidth>(x + whole, rest) - mean, rest, 0.0f);
    squares += distance * distance;
  }
  const float variance = sum<kWidth>(squares) / static_cast<float>(width);
  const float scale = 1.0f / std::sqrt(variance + epsilon);

  for (int64_t i = 0; i < whole; i += kLanes) {
    const Lanes<kWidth> normal = (load<kWidth>(x + i) - mean) * scale;
    store<kWidth>(y + i, normal * load<kWidth>(weight + i) + load<kWidth>(bias + i));
  }
  if (rest > 0) {
    const Lanes<kWidth> normal = (load_first<kWidth>(x + whole, rest) - mean) * scale;
    store_first<kWidth>(
        y + whole,
        normal * load_first<kWidth>(weight + whole, rest) + load_first<kWidth>(bias + whole, rest),
        rest);
  }
}

template <int kWidth>
MESITA_INLINE void layer_norm_rows(const float* x, const float* weight, const float* bias,
                                   float epsilon, float* y, int64_t rows, int64_t width) {
  for (int64_t row = 0; row < rows; ++row) {
    layer_norm_row<kWidth>(x + row * width, weight, bias, epsilon, y + row * width, width);
  }
}

constexpr float kRoot = 0.7978845608f;  // sqrt(2 / pi)
constexpr float kCubic = 0.044715f;

template <int kWidth>
MESITA_INLINE void gelu_values(float* x, int64_t count) {
  for (int64_t i = 0; i < count; i += kLanes) {
    const Lanes<kWidth> value = load_first<kWidth>(x + i, count - i);
    // (1 + tanh u) / 2 = 1 / (1 + e^-2u)
    const Lanes<kWidth> u = kRoot * (value + kCubic * value * value * value);
    store_first<kWidth>(x + i, value / (1.0f + exponential<kWidth>(-2.0f * u)), count - i);
  }
}

template <int kWidth>
MESITA_INLINE void gelu_gradients(const float* x, float* dy, int64_t count) {
  for (int64_t i = 0; i < count; i += kLanes) {
    const Lanes<kWidth> value = load_first<kWidth>(x + i, count - i);
    const Lanes<kWidth> square = value * value;
    // With s = 1 / (1 + e^-2u): (x s)' = s + x s (1 - s) 2 u'
    const Lanes<kWidth> u = kRoot * (value + kCubic * square * value);
    const Lanes<kWidth> s = 1.0f / (1.0f + exponential<kWidth>(-2.0f * u));
    const Lanes<kWidth> slope = 2.0f * kRoot * (1.0f + 3.0f * kCubic * square);
    const Lanes<kWidth> derivative = s + value * (s * (1.0f - s)) * slope;
    store_first<kWidth>(dy + i, load_first<kWidth>(dy + i, count - i) * derivative, count - i);
  }
}

template <int kWidth>
MESITA_INLINE void add_values(const float* x, float* y, int64_t count) {
  for (int64_t i = 0; i < count; i += kLanes) {
    const int64_t rest = count - i;
    store_first<kWidth>(y + i, load_first<kWidth>(y + i, rest) + load_first<kWidth>(x + i, rest),
                        rest);
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
  MESITA_CALL(layer_norm_rows, set, x.data(), weight.data(), bias.data(), epsilon, y.data(),
              count_of(x) / width, width);
}

void gelu(std::span<float> x, InstructionSet set) {
  MESITA_CALL(gelu_values, set, x.data(), count_of(x));
}

void gelu_gradient(std::span<const float> x, std::span<float> dy, InstructionSet set) {
  MESITA_CALL(gelu_gradients, set, x.data(), dy.data(), count_of(x));
}

void add(std::span<const float> x, std::span<float> y, InstructionSet set) {
  MESITA_CALL(add_values, set, x.data(), y.data(), count_of(x));
}

}  // namespace mesita::kernels
