#include "training/device.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <stdexcept>

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
  use_threads(1);
  EXPECT_EQ(at::get_num_threads(), 1);
  use_threads(2);
  EXPECT_EQ(at::get_num_threads(), 2);
  use_threads(0);
  EXPECT_GE(at::get_num_threads(), 1);
}

}  // namespace
}  // namespace mesita::training
