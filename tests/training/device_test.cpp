#include "training/device.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace mesita::training {
namespace {

TEST(Device, NamesMeanDevices) {
  EXPECT_TRUE(resolve_device("cpu").is_cpu());
  const c10::Device automatic = resolve_device("auto");
  EXPECT_TRUE(automatic.is_cpu() || automatic.is_cuda());
}

TEST(Device, AGpuThatIsNotThereIsAnError) {
  EXPECT_THROW(resolve_device("cuda:99"), std::runtime_error);
  if (resolve_device("auto").is_cpu()) {
    EXPECT_THROW(resolve_device("cuda"), std::runtime_error);
  }
}

TEST(Device, ThreadsAreThoseThatWereAskedFor) {
  constexpr int64_t kSmall = 1000, kLarge = int64_t{1} << 40;
  EXPECT_EQ(use_threads(2, kSmall), 2);
  EXPECT_EQ(at::get_num_threads(), 2);
  EXPECT_EQ(use_threads(0, kSmall), 1);
  EXPECT_EQ(at::get_num_threads(), 1);
  const unsigned cores = std::thread::hardware_concurrency();
  EXPECT_EQ(use_threads(0, kLarge), static_cast<int64_t>(std::max(1u, cores)));
}

// Steps allocate and free large tensors; the memory must stay with the process and not grow.
TEST(Device, FreedMemoryIsKept) {
  keep_freed_memory();
  const auto resident_kib = [] {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("VmRSS:")) return std::stol(line.substr(6));
    }
    return 0L;
  };
  constexpr size_t kBytes = size_t{100} << 20;
  const auto use_and_free = [] { std::vector<char>(kBytes, 1); };
  use_and_free();
  const long first = resident_kib();
  if (first == 0) GTEST_SKIP() << "no /proc/self/status here";
  for (int i = 0; i < 5; ++i) use_and_free();
#ifdef __GLIBC__
  EXPECT_GE(first, 100 * 1024);
#endif
  EXPECT_LT(resident_kib(), first + 20 * 1024);
}

}  // namespace
}  // namespace mesita::training
