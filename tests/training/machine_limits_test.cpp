#include "training/machine_limits.h"

#include <gtest/gtest.h>

#include "training/peak_memory.h"

namespace mesita::training {
namespace {

TEST(MachineLimits, ThePeakIsARateThatAMachineCanHave) {
  const double peak = measured_peak_flops(at::kCPU, Precision::float32);
  EXPECT_GT(peak, 1e8);
  EXPECT_LT(peak, 1e15);
}

TEST(MachineLimits, MemoryOfACpuIsWhatIsResident) {
  const int64_t before = peak_resident_bytes();
  const int64_t memory = peak_memory_bytes(at::kCPU);
  EXPECT_GE(memory, before);
  EXPECT_LE(memory, peak_resident_bytes());
}

}  // namespace
}  // namespace mesita::training
