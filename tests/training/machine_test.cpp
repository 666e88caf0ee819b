#include "training/machine.h"

#include <gtest/gtest.h>

namespace mesita::training {
namespace {

TEST(Machine, DescriptionTellsThreadsAndDevicesApart) {
  const c10::Device cpu(c10::DeviceType::CPU), gpu(c10::DeviceType::CUDA, 1);
  EXPECT_EQ(machine_description(cpu, 2), machine_description(cpu, 2));
  EXPECT_NE(machine_description(cpu, 1), machine_description(cpu, 2));
  EXPECT_NE(machine_description(cpu, 2), machine_description(gpu, 2));
  EXPECT_NE(machine_description(gpu, 2).find("cuda:1"), std::string::npos);
}

}  // namespace
}  // namespace mesita::training
