#include "training/machine_limits.h"

#include <gtest/gtest.h>

#include <vector>

namespace mesita::training {
namespace {

TEST(MachineLimits, ThePeakIsARateThatAMachineCanHave) {
  const double peak = measured_peak_flops(at::kCPU, Precision::float32);
  EXPECT_GT(peak, 1e8);
  EXPECT_LT(peak, 1e15);
}

TEST(MachineLimits, MemoryCountsWhatWasTouchedAndKeepsThePeak) {
  const int64_t before = peak_memory_bytes(at::kCPU);
  EXPECT_GT(before, 1 << 20);
  { const std::vector<char> touched(static_cast<size_t>(before) + (64 << 20), 1); }
  EXPECT_GE(peak_memory_bytes(at::kCPU), before + (64 << 20));
}

}  // namespace
}  // namespace mesita::training
