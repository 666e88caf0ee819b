#include "training/peak_memory.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

namespace mesita::training {
namespace {

TEST(PeakMemory, CountsWhatWasTouchedAndKeepsThePeak) {
  const int64_t before = peak_resident_bytes();
  EXPECT_GT(before, 1 << 20);
  { const std::vector<char> touched(static_cast<size_t>(before) + (64 << 20), 1); }
  EXPECT_GE(peak_resident_bytes(), before + (64 << 20));
}

// The server starts trainers, and may be large.
TEST(PeakMemoryDeathTest, IsNotThatOfTheProcessThatStartedThisOne) {
  constexpr int64_t kLarge = 512 << 20;
  constexpr const char* kChild = "MESITA_PEAK_MEMORY_CHILD";
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a child of its own, from the beginning
  std::vector<char> touched;
  if (std::getenv(kChild) == nullptr) touched.assign(kLarge, 1);
  setenv(kChild, "1", 1);
  EXPECT_EXIT(std::exit(peak_resident_bytes() < kLarge ? 0 : 1), ::testing::ExitedWithCode(0), "");
  unsetenv(kChild);
}

}  // namespace
}  // namespace mesita::training
