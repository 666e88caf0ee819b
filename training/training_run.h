#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "model/checkpoint/checkpoint.h"
#include "training/data/run_data.h"
#include "training/evaluate.h"
#include "training/lr_schedule.h"
#include "training/resume_point.h"
#include "training/run_folder.h"
#include "training/train_step.h"
#include "training/trainer.h"

namespace mesita::training {

/// One run in progress: what train() drives.
class TrainingRun {
 public:
  TrainingRun(RunConfig config, const std::filesystem::path& out, Begin begin,
              ProgressReporter& reporter);

  /// Steps until something ends the run.
  RunEnd loop(const std::function<bool()>& stop);
  /// Last evaluation and samples, verification of frozen tensors and of the best checkpoint.
  RunResult finish(RunEnd end);

 private:
  void describe_checkpoint();
  void choose_precision();
  ResumePoint here() const;
  void go_on(Begin begin);
  std::optional<RunEnd> ended() const;
  void step();
  void flush_log();
  void report_skipped(int64_t step);
  void evaluate_and_keep_best();
  Evaluation evaluate_stored();
  void sample();
  void save_last();
  void verify_frozen() const;
  EvaluationMetrics stored_best() const;
  EvaluationMetrics metrics_of(const Evaluation& evaluation) const;
  double seconds() const;
  double clock() const;  // fraction of the wall time that the run may take
  double fraction() const;

  RunConfig config_;  // resolved: threads, device, precision
  ProgressReporter& reporter_;
  RunData data_;
  RunFolder folder_;
  std::shared_ptr<model::LanguageModel> model_;
  checkpoint::CheckpointConfig checkpoint_config_;
  checkpoint::Form form_;
  std::string frozen_;  // hash before training
  LrSchedule schedule_;
  std::string machine_;
  std::unique_ptr<TrainStep> trainer_;
  std::unique_ptr<MetricsLog> log_;

  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  double seconds_before_ = 0.0;  // of work before the run was resumed
  int64_t steps_ = 0;
  int64_t tokens_ = 0;
  int64_t skipped_ = 0;  // steps in a row
  double lr_ = 0.0;      // of the last step
  // since the last line of the log
  std::vector<TrainStep::Result> unlogged_;
  double step_seconds_ = 0.0;

  int64_t evaluated_at_ = -1;  // step of the last evaluation
  int64_t sampled_at_ = -1;
  EvaluationMetrics last_, best_;
};

}  // namespace mesita::training
