#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "training/run_config.h"

namespace mesita::training {

/// What a command line asks for: [CONFIG] [--field value ...] [--out RUN] [--json].
struct TrainCommand {
  enum class Action { train, help, version };
  enum class Output { text, json };
  Action action = Action::train;
  Output output = Output::text;
  std::filesystem::path config;  // empty: all defaults
  std::filesystem::path out;     // empty: a free folder under runs/
  std::vector<FieldOverride> overrides;
};

/// Throws std::invalid_argument for an option without a value, --out twice, or two CONFIGs. Names
/// of fields are not checked here (see resolve_run_config). `--field=value` is the same as two
/// words.
TrainCommand parse_train_command(const std::vector<std::string>& arguments);

/// Usage and every field.
std::string train_help();

}  // namespace mesita::training
