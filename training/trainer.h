#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "training/metrics_log.h"
#include "training/progress.h"
#include "training/run_config.h"

namespace mesita::training {

/// Why a run ended.
enum class RunEnd { steps, time, target_loss, interrupted };
std::string_view name_of(RunEnd end);

/// What a run came to.
struct RunResult {
  int64_t seed = 0;
  RunEnd end = RunEnd::steps;
  int64_t steps = 0;
  int64_t tokens = 0;  // scored ones
  double seconds = 0.0;
  int64_t parameters = 0;  // numbers of elements
  int64_t trained_parameters = 0;
  std::string precision;           // that was used
  int64_t step_flops = 0;          // floating-point operations of an optimizer step (step_flops.h)
  double flops_utilisation = 0.0;  // over the steps of this process, all seeds
  int64_t memory_bytes = 0;        // the most of this process
  EvaluationMetrics last;          // the last evaluation
  EvaluationMetrics best;  // checkpoints/best, read back from the disk and evaluated in float32
  std::string frozen;      // hash over the frozen tensors, "" without any
};

/// How a run begins.
enum class Begin {
  fresh,          // in a new or empty folder
  resume,         // where checkpoints/last stands (from the start if there is none yet), only if
                  // the rest will have the same bits as if it had never stopped
  resume_anyway,  // the same, with a warning where bits may differ
};

/// Trains as the config says, into the run folder `out`: config.json (resolved: `auto` replaced by
/// what was chosen), metrics.jsonl, tokenizer/, checkpoints/last (with the state that resuming
/// needs) and checkpoints/best (by evaluation loss). To resume, `config` is that of
/// out/config.json. `stop` is asked after every step: when it says yes the run saves and ends.
/// Results depend on config and machine alone, unless the run is limited by time.
///
/// Throws std::invalid_argument for what the config gets wrong, std::runtime_error when files
/// cannot be read or written, when the loss is not finite for more than stop.skipped_steps steps in
/// a row (the last saved checkpoints stay), when a frozen tensor changed, and for Begin::resume
/// when config, data or machine are not those of the run.
///
/// With config.seeds each seed has a run folder of its own, `out`/seed-N, and the same run is made
/// of the same config and list of seeds; each is close to its run alone, not equal to the bit.
std::vector<RunResult> train_seeds(RunConfig config, const std::filesystem::path& out, Begin begin,
                                   ProgressReporter& reporter, const std::function<bool()>& stop);
/// The same for a config of one seed.
RunResult train(RunConfig config, const std::filesystem::path& out, Begin begin,
                ProgressReporter& reporter, const std::function<bool()>& stop);

/// The result as one JSON document, and as a few lines for people.
std::string to_json(const RunResult& result, const std::filesystem::path& out);
std::string to_text(const RunResult& result, const std::filesystem::path& out);
/// The same for the seeds of a run, with mean and standard deviation of their best losses.
std::string to_json(std::span<const RunResult> seeds, const std::filesystem::path& out);
std::string to_text(std::span<const RunResult> seeds, const std::filesystem::path& out);

}  // namespace mesita::training
