#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/checkpoint/checkpoint.h"
#include "training/data/batch_source.h"
#include "training/metrics_log.h"
#include "training/progress.h"
#include "training/resume_point.h"
#include "training/run_folder.h"
#include "training/train_step.h"

namespace mesita::training {

/// One seed of a run: what is its own beside its part of the model. A run of one seed has one.
class RunMember {
 public:
  /// `config`: of this seed alone, resolved. `data` must outlive this.
  RunMember(RunConfig config, BatchSource& data) : config_(std::move(config)), data_(data) {}

  const RunConfig& config() const { return config_; }
  int64_t seed() const { return config_.seed; }
  /// "seed 3: " where there are several, for messages.
  std::string prefix;
  BatchSource& data() { return data_; }

  RunFolder folder;
  checkpoint::CheckpointConfig checkpoint;
  std::string frozen;  // hash before training
  std::unique_ptr<MetricsLog> log;

  int64_t tokens = 0;
  int64_t skipped = 0;  // steps in a row
  EvaluationMetrics last, best;

  /// Counts a step; its numbers are asked for by flush, so that a GPU is not waited for.
  void count(const TrainStep::Result& result);

  /// What the steps since the last flush came to.
  struct Interval {
    double nats = 0.0;
    double grad_norm = 0.0;
    int64_t scored = 0;      // of the steps that were not skipped
    int64_t all_scored = 0;  // of all
  };
  /// Waits for the steps. `steps`: done so far. Reports those whose loss or gradient is not finite,
  /// which have left the weights as they were; throws std::runtime_error when there are more than
  /// stop.skipped_steps in a row.
  Interval flush(int64_t steps, ProgressReporter& reporter);

  /// Enters an evaluation into the log; true if it is the best so far.
  bool enter(const EvaluationMetrics& metrics, bool first, ProgressReporter& reporter);

 private:
  void report_skipped(int64_t step, ProgressReporter& reporter);

  RunConfig config_;
  BatchSource& data_;
  std::vector<TrainStep::Result> unlogged_;
};

/// "step 10  evaluation loss 1.2345 ...".
std::string to_text(const EvaluationMetrics& metrics);

}  // namespace mesita::training
