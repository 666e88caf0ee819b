#include <torch/headeronly/version.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "model/kernels/dispatch.h"
#include "training/run_folder.h"
#include "training/stop_signal.h"
#include "training/train_command.h"
#include "training/trainer.h"

namespace {

using namespace mesita::training;

std::string read_config(const std::filesystem::path& path) {
  if (path.empty()) return "";
  std::ifstream file(path);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad() || std::filesystem::is_directory(path))
    throw std::runtime_error("cannot read the run config " + path.string());
  return text;
}

int run(const std::vector<std::string>& arguments) {
  const TrainCommand command = parse_train_command(arguments);
  if (command.action == TrainCommand::Action::help) {
    std::fputs(train_help().c_str(), stdout);
    return 0;
  }
  if (command.action == TrainCommand::Action::version) {
    std::printf(
        "mesita-train " MESITA_VERSION ", LibTorch " TORCH_VERSION
        ", kernels %s, checkpoint format 1\n",
        std::string(mesita::kernels::name_of(mesita::kernels::machine_instruction_set())).c_str());
    return 0;
  }
  const bool resumes = command.begin != Begin::fresh;
  if (resumes && !std::filesystem::exists(RunFolder{command.out}.config()))
    throw std::runtime_error(command.out.string() +
                             " holds no run to resume (no config.json); start it without --resume");
  const RunConfig config = resolve_run_config(
      read_config(resumes ? RunFolder{command.out}.config() : command.config), command.overrides);
  const std::string name = command.config.empty() ? "grammar" : command.config.stem().string();
  const std::filesystem::path out =
      command.out.empty() ? free_run_folder("runs", name) : command.out;
  ProgressReporter reporter(stderr, ProgressReporter::style_of(stderr));
  const StopSignal signal;
  const std::vector<RunResult> results =
      train_seeds(config, out, command.begin, reporter, [&] { return signal.requested(); });
  const auto print = [&](const auto& result) {
    const bool json = command.output == TrainCommand::Output::json;
    std::fputs((json ? to_json(result, out) : to_text(result, out)).c_str(), stdout);
  };
  if (results.size() == 1) {
    print(results.front());
  } else {
    print(std::span<const RunResult>(results));
  }
  return 0;
}

}  // namespace

int main(int count, char** words) {
  try {
    return run({words + 1, words + count});
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "mesita train: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mesita train: %s\n", error.what());
    return 1;
  }
}
