#pragma once

#include <cstdint>

#include "training/run_config.h"

namespace mesita::training {

/// Linear warm-up, then what `kind` says. With `along`, the fraction of the run after the warm-up:
///   cosine    half a cosine from lr to min_lr
///   constant  lr
///   wsd       lr up to along = 1 - decay_fraction, then min_lr + (lr - min_lr) (1 - sqrt(d)),
///   where d
///             goes from 0 to 1 (warm-up, stable, decay; the shape of llm.c)
///
/// Step number it (from 0) of the warm-up has the factor (it + 1) / (warmup_steps + 1), nanoGPT's
/// rule: no step has rate 0, and the first step after the warm-up has exactly `lr`.
struct LrSchedule {
  double lr = 1e-3;
  double min_lr = 0.0;
  int64_t warmup_steps = 0;
  int64_t steps = 0;  // of the run, 0: only the clock ends it
  Schedule kind = Schedule::cosine;
  double decay_fraction = 0.2;  // of what follows the warm-up

  /// Rate of step `step`. `clock`: the fraction of the run's wall time that has passed, 0 without a
  /// time limit; `along` is whichever of steps and clock is further.
  double at(int64_t step, double clock) const;
};

}  // namespace mesita::training
