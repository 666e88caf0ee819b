#include "training/precision.h"

#include <ATen/autocast_mode.h>
#include <ATen/cpu/Utils.h>

#include <cstdio>

namespace mesita::training {

PrecisionGuard::PrecisionGuard(Precision precision, c10::DeviceType device)
    : active_(precision == Precision::bf16), device_(device) {
  if (!active_) return;
  was_enabled_ = at::autocast::is_autocast_enabled(device_);
  at::autocast::set_autocast_enabled(device_, true);
  at::autocast::set_autocast_dtype(device_, at::kBFloat16);
  at::autocast::increment_nesting();
}

PrecisionGuard::~PrecisionGuard() {
  if (!active_) return;
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(device_, was_enabled_);
}

bool multiplies_bf16(c10::DeviceType device) {
  if (device != c10::DeviceType::CPU) return true;
  const auto capabilities = at::cpu::get_cpu_capabilities();
  for (const char* name : {"avx512_bf16", "amx_bf16", "amx_tile", "bf16"}) {
    const auto found = capabilities.find(name);
    if (found != capabilities.end() && found->second.isBool() && found->second.toBool())
      return true;
  }
  return false;
}

PrecisionChoice choose_precision(Precision wanted, bool has_bf16,
                                 const std::function<double(Precision)>& seconds) {
  if (wanted != Precision::automatic) return {wanted, "as the run says"};
  if (!has_bf16) return {Precision::float32, "this CPU does not multiply bf16 in hardware"};
  const double float32 = seconds(Precision::float32), bf16 = seconds(Precision::bf16);
  char reason[120];
  std::snprintf(reason, sizeof reason, "measured: %.4g s a micro-batch in bf16, %.4g s in float32",
                bf16, float32);
  return {bf16 < float32 ? Precision::bf16 : Precision::float32, reason};
}

}  // namespace mesita::training
