#pragma once

#include <cstdint>
#include <span>

#include "model/kernels/aligned_array.h"
#include "model/kernels/dispatch.h"

namespace mesita::kernels {

/// The matrix of a linear map y = x W^T + b, laid out for products with any number of rows whose
/// results do not depend on that number: every element of y is b[n] + x[0] w[n, 0] + x[1] w[n, 1] +
/// ..., added one after the other in a lane of its own.
///
/// Layout: strips of sixteen outputs, [strips][inputs][16], the last one filled up with zeros.
class PackedMatrix {
 public:
  static constexpr int64_t kStrip = 16;  // outputs per strip

  PackedMatrix() = default;
  /// weight: [outputs, inputs], bias: [outputs] or empty.
  PackedMatrix(std::span<const float> weight, std::span<const float> bias, int64_t outputs,
               int64_t inputs);

  int64_t outputs() const { return outputs_; }
  int64_t inputs() const { return inputs_; }
  int64_t strips() const { return (outputs_ + kStrip - 1) / kStrip; }

  /// Computes the outputs of strips first, ..., last - 1 for all rows, so that threads can share
  /// the work. x: [rows, inputs], y: [rows, outputs].
  void multiply(std::span<const float> x, std::span<float> y, int64_t first, int64_t last,
                InstructionSet set = machine_instruction_set()) const;

 private:
  int64_t outputs_ = 0;
  int64_t inputs_ = 0;
  AlignedArray strips_;  // [strips, inputs, 16]
  AlignedArray bias_;    // [strips, 16]
};

}  // namespace mesita::kernels
