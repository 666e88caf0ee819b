#include "training/trainer.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

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

ordered_json document_of(const RunResult& result, const std::filesystem::path& out) {
  return {{"run", out.string()},
          {"seed", result.seed},
          {"end", name_of(result.end)},
          {"steps", result.steps},
          {"tokens", result.tokens},
          {"seconds", result.seconds},
          {"parameters", result.parameters},
          {"trained_parameters", result.trained_parameters},
          {"precision", result.precision},
          {"step_flops", result.step_flops},
          {"flops_utilisation", result.flops_utilisation},
          {"memory_bytes", result.memory_bytes},
          {"last", without_seconds(result.last)},
          {"best", without_seconds(result.best)},
          {"frozen", result.frozen}};
}

std::string text_of(const ordered_json& document) {
  return document.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::filesystem::path folder_of(const RunResult& result, const std::filesystem::path& out) {
  return out / ("seed-" + std::to_string(result.seed));
}

struct Spread {
  double mean = 0.0;
  double deviation = 0.0;  // of a sample
};

Spread best_losses(std::span<const RunResult> seeds) {
  Spread spread;
  const auto count = static_cast<double>(seeds.size());
  for (const RunResult& result : seeds) spread.mean += result.best.loss / count;
  for (const RunResult& result : seeds)
    spread.deviation += std::pow(result.best.loss - spread.mean, 2) / std::max(1.0, count - 1.0);
  spread.deviation = std::sqrt(spread.deviation);
  return spread;
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

std::vector<RunResult> train_seeds(RunConfig config, const std::filesystem::path& out, Begin begin,
                                   ProgressReporter& reporter, const std::function<bool()>& stop) {
  TrainingRun run(std::move(config), out, begin, reporter);
  return run.finish(run.loop(stop));
}

RunResult train(RunConfig config, const std::filesystem::path& out, Begin begin,
                ProgressReporter& reporter, const std::function<bool()>& stop) {
  if (config.all_seeds().size() > 1)
    throw std::invalid_argument("train: several seeds; use train_seeds");
  return train_seeds(std::move(config), out, begin, reporter, stop).front();
}

std::string to_json(const RunResult& result, const std::filesystem::path& out) {
  return text_of(document_of(result, out));
}

std::string to_json(std::span<const RunResult> seeds, const std::filesystem::path& out) {
  const Spread spread = best_losses(seeds);
  ordered_json runs = ordered_json::array();
  for (const RunResult& result : seeds) runs.push_back(document_of(result, folder_of(result, out)));
  return text_of({{"run", out.string()},
                  {"best_loss", {{"mean", spread.mean}, {"standard_deviation", spread.deviation}}},
                  {"seeds", runs}});
}

std::string to_text(std::span<const RunResult> seeds, const std::filesystem::path& out) {
  std::string text;
  for (const RunResult& result : seeds)
    text += "seed " + std::to_string(result.seed) + ": " + to_text(result, folder_of(result, out));
  const Spread spread = best_losses(seeds);
  char line[120];
  std::snprintf(line, sizeof line, "best evaluation loss of %zu seeds: mean %.4f, deviation %.4f\n",
                seeds.size(), spread.mean, spread.deviation);
  return text + line;
}

std::string to_text(const RunResult& result, const std::filesystem::path& out) {
  char line[300];
  std::snprintf(line, sizeof line,
                "%lld steps, %lld tokens in %.1f s (end: %s); %lld of %lld parameters trained\n"
                "%.0f %% of the machine's rate in products, %.0f MB of memory\n"
                "best evaluation loss %.4f at step %lld",
                static_cast<long long>(result.steps), static_cast<long long>(result.tokens),
                result.seconds, std::string(name_of(result.end)).c_str(),
                static_cast<long long>(result.trained_parameters),
                static_cast<long long>(result.parameters), 100.0 * result.flops_utilisation,
                static_cast<double>(result.memory_bytes) / 1e6, result.best.loss,
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
