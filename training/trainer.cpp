#include "training/trainer.h"

#include <nlohmann/json.hpp>

#include "training/run_folder.h"
#include "training/training_run.h"

namespace mesita::training {
namespace {

using nlohmann::ordered_json;

// The result says once how long the run took.
ordered_json without_seconds(const EvaluationMetrics& metrics) {
  ordered_json json = to_json(metrics);
  json.erase("seconds");
  return json;
}

}  // namespace

std::string_view name_of(RunEnd end) {
  switch (end) {
    case RunEnd::steps:
      return "steps";
    case RunEnd::time:
      return "time";
    case RunEnd::target_loss:
      return "target_loss";
    case RunEnd::interrupted:
      return "interrupted";
  }
  return "";
}

RunResult train(RunConfig config, const std::filesystem::path& out, Begin begin,
                ProgressReporter& reporter, const std::function<bool()>& stop) {
  TrainingRun run(std::move(config), out, begin, reporter);
  return run.finish(run.loop(stop));
}

std::string to_json(const RunResult& result, const std::filesystem::path& out) {
  return ordered_json{{"run", out.string()},
                      {"end", name_of(result.end)},
                      {"steps", result.steps},
                      {"tokens", result.tokens},
                      {"seconds", result.seconds},
                      {"parameters", result.parameters},
                      {"trained_parameters", result.trained_parameters},
                      {"precision", result.precision},
                      {"last", without_seconds(result.last)},
                      {"best", without_seconds(result.best)},
                      {"frozen", result.frozen}}
             .dump(2, ' ', false, ordered_json::error_handler_t::replace) +
         "\n";
}

std::string to_text(const RunResult& result, const std::filesystem::path& out) {
  char line[300];
  std::snprintf(line, sizeof line,
                "%lld steps, %lld tokens in %.1f s (end: %s); %lld of %lld parameters trained\n"
                "best evaluation loss %.4f at step %lld",
                static_cast<long long>(result.steps), static_cast<long long>(result.tokens),
                result.seconds, std::string(name_of(result.end)).c_str(),
                static_cast<long long>(result.trained_parameters),
                static_cast<long long>(result.parameters), result.best.loss,
                static_cast<long long>(result.best.step));
  std::string text = line;
  if (result.best.bits_per_byte) {
    std::snprintf(line, sizeof line, ", %.4f bits per byte", *result.best.bits_per_byte);
    text += line;
  }
  if (result.best.exact_loss) {
    std::snprintf(line, sizeof line, " (exact %.4f: %+.2f %%)", *result.best.exact_loss,
                  100.0 * (result.best.loss / *result.best.exact_loss - 1.0));
    text += line;
  }
  return text + "\n" + RunFolder{out}.best().string() + "\n";
}

}  // namespace mesita::training
