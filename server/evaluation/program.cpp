#include "server/evaluation/program.h"

#include <ATen/Parallel.h>
#include <torch/version.h>

#include <iostream>
#include <stdexcept>
#include <thread>

#include "model/kernels/dispatch.h"

namespace mesita::evaluation {
namespace {

std::string version_of(const std::string& program) {
  return program + " " MESITA_VERSION ", LibTorch " TORCH_VERSION ", kernels " +
         std::string(kernels::name_of(kernels::machine_instruction_set())) +
         ", checkpoint format 1";
}

std::string check_device(const std::string& device) {
  if (device == "auto" || device == "cpu") return {};
  if (device.starts_with("cuda")) return "inference runs on the CPU; give auto or cpu";
  return "'" + device + "' is none of auto, cpu";
}

}  // namespace

Program::Program(const std::string& name, const std::string& description)
    : flags_(description, name) {
  flags_.set_version_flag("--version", version_of(name));
  flags_.add_option("--threads", threads_, "computing threads (default: the machine's cores)")
      ->check(CLI::Range(1, 1024));
  flags_.add_option("--device", device_, "auto or cpu: where to compute")
      ->check(CLI::Validator(check_device, "auto|cpu"));
}

int Program::run(int argc, const char* const* argv, const std::function<void()>& body) {
  try {
    flags_.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return flags_.exit(error) == 0 ? 0 : 2;
  }
  const unsigned cores = std::thread::hardware_concurrency();
  at::set_num_threads(threads_ > 0 ? threads_ : static_cast<int>(cores > 0 ? cores : 1));
  try {
    body();
    if (!std::cout.flush()) throw std::runtime_error("standard output cannot be written");
    return 0;
  } catch (const std::invalid_argument& error) {
    std::cerr << flags_.get_name() << ": " << error.what() << '\n';
    return 2;
  } catch (const std::exception& error) {
    std::cerr << flags_.get_name() << ": " << error.what() << '\n';
    return 1;
  }
}

}  // namespace mesita::evaluation
