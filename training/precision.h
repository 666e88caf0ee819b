#pragma once

#include <c10/core/Device.h>

#include <functional>
#include <string>

#include "training/run_config.h"

namespace mesita::training {

/// Products in bf16 while it lives, where `precision` is bf16: sets autocast for the device and
/// restores it after. The outermost guard drops autocast's copies of weights, which are stale once
/// an optimizer has changed the weights. Must not outlive a step.
class PrecisionGuard {
 public:
  PrecisionGuard(Precision precision, c10::DeviceType device);
  ~PrecisionGuard();
  PrecisionGuard(const PrecisionGuard&) = delete;
  PrecisionGuard& operator=(const PrecisionGuard&) = delete;

 private:
  bool active_;
  c10::DeviceType device_;
  bool was_enabled_ = false;
};

/// float32 or bf16, and why, for the log.
struct PrecisionChoice {
  Precision precision = Precision::float32;
  std::string reason;
};

/// True on GPUs, and on CPUs that multiply bf16 in hardware (avx512_bf16 or AMX): elsewhere bf16 is
/// emulated and many times slower.
bool multiplies_bf16(c10::DeviceType device);

/// What `wanted` means. For Precision::automatic, bf16 only where `has_bf16` and where
/// `seconds(precision)`, the measured time of the same work, is shorter.
PrecisionChoice choose_precision(Precision wanted, bool has_bf16,
                                 const std::function<double(Precision)>& seconds);

}  // namespace mesita::training
