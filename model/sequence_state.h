#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace mesita::model {

/// What one layer remembers of one sequence (keys and values, or a recurrent state).
class MixerState {
 public:
  virtual ~MixerState() = default;
  /// Memory held, in bytes.
  virtual int64_t bytes() const = 0;
};

/// What a model remembers of one sequence. Movable, not copyable.
struct SequenceState {
  int64_t length = 0;                               // tokens seen
  std::vector<std::unique_ptr<MixerState>> layers;  // one per block
};

/// Consecutive tokens of one sequence inside a batch of rows: row first_row + i is the token at
/// position sequence->length + i (before the call).
struct RowSegment {
  SequenceState* sequence = nullptr;
  int64_t first_row = 0;
  int64_t rows = 0;
};

}  // namespace mesita::model
