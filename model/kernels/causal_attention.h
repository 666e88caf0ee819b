#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/kernels/aligned_array.h"
#include "model/kernels/dispatch.h"

namespace mesita::kernels {

/// Keys and values of one sequence, in blocks of kBlock positions that are added as it grows.
///
/// Layout of a block: keys [heads, head_width, kBlock], so that the scores of neighbouring
/// positions lie in neighbouring lanes; then values [heads, kBlock, padded head_width].
class KeyValues {
 public:
  static constexpr int64_t kBlock = 32;

  KeyValues(int64_t heads, int64_t head_width);

  /// Enters one position, overwriting what stood there. key, value: [heads, head_width]. Positions
  /// are entered in order.
  void put(int64_t position, std::span<const float> key, std::span<const float> value);

  /// Softmax attention of one head's query over positions 0, ..., length - 1, in an order of
  /// additions that depends on `length` alone: out = sum_t softmax(query . key_t /
  /// sqrt(head_width)) value_t. query, out: [head_width]; `scores` is scratch of
  /// score_space(length) floats.
  void attend(int64_t head, std::span<const float> query, int64_t length, std::span<float> scores,
              std::span<float> out, InstructionSet set = machine_instruction_set()) const;
  static int64_t score_space(int64_t length) { return (length + kBlock - 1) / kBlock * kBlock; }

  int64_t bytes() const;

 private:
  int64_t heads_;
  int64_t head_width_;
  int64_t padded_width_;  // head_width rounded up to whole lanes
  std::vector<AlignedArray> blocks_;
};

}  // namespace mesita::kernels
