#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace mesita::layers {

/// The angles of rotary positions (kernels/rotary.h), in the type and on the device of what they
/// turn.
class RotaryPositions {
 public:
  RotaryPositions(int64_t context, int64_t head_width, double base);

  /// x: [batch, time, heads, head_width], positions 0, 1, ... -> the same, turned.
  at::Tensor rotate(const at::Tensor& x);

 private:
  int64_t context_;
  int64_t head_width_;
  double base_;
  at::Tensor cosines_;  // [context, 1, head_width / 2]
  at::Tensor sines_;    // [context, 1, head_width / 2]
};

}  // namespace mesita::layers
