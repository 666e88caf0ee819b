#include "training/lr_schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mesita::training {

double LrSchedule::at(int64_t step, double clock) const {
  double along = std::clamp(clock, 0.0, 1.0);
  if (steps > warmup_steps && step > warmup_steps) {
    along = std::max(along, std::min(1.0, static_cast<double>(step - warmup_steps) /
                                              static_cast<double>(steps - warmup_steps)));
  }
  double left = 1.0;  // of lr - min_lr
  if (kind == Schedule::cosine) left = 0.5 * (1.0 + std::cos(std::numbers::pi * along));
  if (kind == Schedule::wsd && along > 1.0 - decay_fraction)
    left = 1.0 - std::sqrt((along - (1.0 - decay_fraction)) / decay_fraction);
  const double warmup = static_cast<double>(step + 1) / static_cast<double>(warmup_steps + 1);
  return (min_lr + (lr - min_lr) * left) * std::min(1.0, warmup);
}

}  // namespace mesita::training
