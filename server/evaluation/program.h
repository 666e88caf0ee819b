#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <string>

namespace mesita::evaluation {

/// A command-line program: flags, the ones that all have in common, and exit statuses.
class Program {
 public:
  Program(const std::string& name, const std::string& description);

  /// Where the program declares its own flags. Every program has --version, --threads and --device.
  CLI::App& flags() { return flags_; }

  /// Parses the command line and calls `body`. Returns the exit status: 0 done, 1 failed, 2 wrong
  /// usage (a wrong flag, or `body` throws std::invalid_argument). Reasons go to standard error.
  int run(int argc, const char* const* argv, const std::function<void()>& body);

 private:
  CLI::App flags_;
  int threads_ = 0;
  std::string device_ = "auto";
};

/// Check of an option: a whole number from `least` to `most`.
CLI::Validator whole_number(int64_t least, int64_t most);
/// Check of an option: a number from `least` to `most`.
CLI::Validator number(double least, double most);
/// Check of an option: a whole number from 0 to 2^64 - 1.
CLI::Validator random_seed();

}  // namespace mesita::evaluation
