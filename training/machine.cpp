#include "training/machine.h"

#include <ATen/Context.h>
#include <ATen/Version.h>
#include <torch/headeronly/version.h>

#include <fstream>

#include "model/kernels/dispatch.h"

namespace mesita::training {
namespace {

// "" where /proc does not say.
std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const size_t colon = line.find(": ");
    return colon == line.npos ? "" : line.substr(colon + 2);
  }
  return "";
}

}  // namespace

std::string machine_description(c10::Device device, int64_t threads) {
  return "LibTorch " TORCH_VERSION " " + at::get_cpu_capability() + ", kernels " +
         std::string(kernels::name_of(kernels::machine_instruction_set())) + ", " + cpu_model() +
         ", " + device.str() + ", " + std::to_string(threads) +
         (threads == 1 ? " thread" : " threads");
}

}  // namespace mesita::training
