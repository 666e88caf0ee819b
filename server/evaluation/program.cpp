#include "server/evaluation/program.h"

#include <ATen/Parallel.h>
#include <torch/version.h>

#include <charconv>
#include <iostream>
#include <limits>
#include <optional>
#include <sstream>
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

template <typename Number>
std::optional<Number> parsed(const std::string& text) {
  Number value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

template <typename Number>
CLI::Validator range(const std::string& kind, Number least, Number most) {
  std::ostringstream words;
  words << kind << " from " << least << " to " << most;
  const auto check = [least, most, allowed = words.str()](const std::string& text) {
    const auto value = parsed<Number>(text);
    const bool fits = value && *value >= least && *value <= most;
    return fits ? std::string() : "'" + text + "' is not " + allowed;
  };
  return CLI::Validator(check, "");
}

}  // namespace

CLI::Validator whole_number(int64_t least, int64_t most) {
  return range("a whole number", least, most);
}

CLI::Validator number(double least, double most) {
  return range("a number", least, most);
}

CLI::Validator random_seed() {
  return range("a whole number", uint64_t{0}, std::numeric_limits<uint64_t>::max());
}

Program::Program(const std::string& name, const std::string& description)
    : flags_(description, name) {
  flags_.set_version_flag("--version", version_of(name));
  flags_.add_option("--threads", threads_, "computing threads (default: the machine's cores)")
      ->check(whole_number(1, 1024));
  flags_.add_option("--device", device_, "auto or cpu: where to compute")
      ->check(CLI::Validator(check_device, "auto|cpu"));
}

int Program::run(int argc, const char* const* argv, const std::function<void()>& body) {
  try {
    flags_.parse(argc, argv);
  } catch (const CLI::RequiredError& error) {
    // A word that nothing knows is the likelier mistake than the option that it was meant to be.
    const std::vector<std::string> unknown = flags_.remaining();
    if (unknown.empty()) return flags_.exit(error), 2;
    return flags_.exit(CLI::ExtrasError(flags_.get_name(), unknown)), 2;
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
