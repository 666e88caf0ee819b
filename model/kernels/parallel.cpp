#include "model/kernels/parallel.h"

#include <ATen/Parallel.h>

namespace mesita::kernels {
namespace {

// Waking the other threads costs about as much as this many multiplications.
constexpr int64_t kWorthSharing = 100'000;

}  // namespace

void parallel(int64_t items, int64_t cost, const std::function<void(int64_t, int64_t)>& body) {
  if (items <= 0) return;
  if (items == 1 || items * cost < kWorthSharing) return body(0, items);
  at::parallel_for(0, items, 1, body);
}

}  // namespace mesita::kernels
