#include "training/machine_limits.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/randn.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "model/layers/linear_product.h"
#include "training/peak_memory.h"

namespace mesita::training {

double measured_peak_flops(c10::Device device, Precision precision) {
  const c10::NoGradGuard no_grad;
  const int64_t size = device.is_cpu() ? 768 : 8192;
  const at::ScalarType type = precision == Precision::bf16 ? at::kBFloat16 : at::kFloat;
  const auto options = at::TensorOptions(device).dtype(type);
  at::Tensor a = at::randn({size, size}, options), b = at::randn({size, size}, options);
  at::Tensor product = at::empty({size, size}, options);
  double seconds = std::numeric_limits<double>::max();
  for (int tries = 0; tries < 5; ++tries) {
    const auto begin = std::chrono::steady_clock::now();
    layers::product_out(a, b, product);
    product[0][0].item<float>();  // a GPU is waited for
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    seconds = std::min(seconds, taken.count());
  }
  if (!device.is_cpu()) {
    for (at::Tensor* each : {&a, &b, &product}) each->reset();
    at::getDeviceAllocator(device.type())->resetPeakStats(device.index());
  }
  const auto edge = static_cast<double>(size);
  return 2.0 * edge * edge * edge / seconds;
}

int64_t peak_memory_bytes(c10::Device device) {
  if (!device.is_cpu()) {
    const auto stats = at::getDeviceAllocator(device.type())->getDeviceStats(device.index());
    return stats.allocated_bytes[static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE)]
        .peak;
  }
  return peak_resident_bytes();
}

}  // namespace mesita::training
