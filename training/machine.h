#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <string>

namespace mesita::training {

/// Everything about this process and machine that decides how sums are rounded: program and
/// LibTorch version, kernel sets, the CPU's model, the device, the number of threads. Runs with
/// equal descriptions give equal bits.
std::string machine_description(c10::Device device, int64_t threads);

}  // namespace mesita::training
