#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "training/run_config.h"
#include "training/trainer.h"

namespace mesita::training {

/// What a command line asks for: [CONFIG] [--field value ...] [--out RUN] [--resume] [--json].
struct TrainCommand {
  enum class Action { train, help, version };
  enum class Output { text, json };
  Action action = Action::train;
  Output output = Output::text;
  Begin begin = Begin::fresh;    // otherwise `out` is the run, and there is nothing else
  std::filesystem::path config;  // empty: all defaults
  std::filesystem::path out;     // empty: a free folder under runs/
  std::vector<FieldOverride> overrides;
};

/// Throws std::invalid_argument for an option without a value, --out twice, two CONFIGs, and
/// --resume without --out or with a CONFIG or fields. Names of fields are not checked here (see
/// resolve_run_config). `--field=value` is the same as two words; a value that begins with "--"
/// needs that form.
TrainCommand parse_train_command(const std::vector<std::string>& arguments);

/// Usage and every field.
std::string train_help();

}  // namespace mesita::training
