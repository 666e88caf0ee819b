#pragma once

#include <cstdint>

namespace mesita::training {

/// Linear warm-up, then half a cosine from `lr` to `min_lr`.
///
/// Step number it (from 0) of the warm-up has lr x (it + 1) / (warmup_steps + 1), nanoGPT's rule:
/// no step has rate 0, and the first step after the warm-up has exactly `lr`.
struct LrSchedule {
  double lr = 1e-3;
  double min_lr = 0.0;
  int64_t warmup_steps = 0;
  int64_t steps = 0;  // of the run, 0: only the clock ends it

  /// Rate of step `step`. `clock`: the fraction of the run's wall time that has passed, 0 without a
  /// time limit; the cosine follows whichever of steps and clock is further.
  double at(int64_t step, double clock) const;
};

}  // namespace mesita::training
