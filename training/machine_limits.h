#pragma once

#include <c10/core/Device.h>

#include <cstdint>

#include "training/run_config.h"

namespace mesita::training {

/// Floating-point operations a second that this machine reaches in products of the given precision
/// with the present number of threads: the best of a few products of large square matrices, about a
/// tenth of a second. What utilisation is a share of. Precision::float32 or bf16. The matrices do
/// not count as peak_memory_bytes of a GPU.
double measured_peak_flops(c10::Device device, Precision precision);

/// The most memory this process has had at once, in bytes: resident on the CPU, on a GPU allocated
/// since measured_peak_flops.
int64_t peak_memory_bytes(c10::Device device);

}  // namespace mesita::training
