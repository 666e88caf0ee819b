#include "training/device.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <malloc.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <thread>

namespace mesita::training {

c10::Device resolve_device(const std::string& name) {
  if (name == "cpu") return c10::Device(c10::DeviceType::CPU);
  const int devices =
      at::hasCUDA() ? static_cast<int>(at::detail::getCUDAHooks().deviceCount()) : 0;
  if (name == "auto")
    return devices > 0 ? c10::Device(c10::DeviceType::CUDA, 0) : c10::Device(c10::DeviceType::CPU);
  const c10::Device device(name == "cuda" ? "cuda:0" : name);
  if (device.index() >= devices)
    throw std::runtime_error("there is no device " + name + ": LibTorch sees " +
                             std::to_string(devices) + " GPUs; use --device cpu");
  return device;
}

int64_t use_threads(int64_t threads, int64_t product) {
  constexpr int64_t kWorthDividing = int64_t{1} << 25;  // about 0.2 ms of one core
  const auto cores = static_cast<int64_t>(std::max(1u, std::thread::hardware_concurrency()));
  if (threads == 0) threads = product < kWorthDividing ? 1 : cores;
  at::set_num_threads(static_cast<int>(threads));
  return threads;
}

void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_MAX, 0);  // large blocks come from the heap too
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_TOP_PAD, 64 << 20);
#endif
}

}  // namespace mesita::training
