#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "training/data/run_data.h"
#include "training/lr_schedule.h"
#include "training/run_member.h"
#include "training/seed_team.h"
#include "training/trainer.h"

namespace mesita::training {

/// One run in progress: what train() drives. Its seeds go through every step together.
class TrainingRun {
 public:
  TrainingRun(RunConfig config, const std::filesystem::path& out, Begin begin,
              ProgressReporter& reporter);

  /// Steps until something ends the run.
  RunEnd loop(const std::function<bool()>& stop);
  /// Last evaluation and samples, verification of frozen tensors and of the best checkpoints.
  std::vector<RunResult> finish(RunEnd end);

 private:
  void make_members();
  void make_models(c10::Device device);
  void make_folders(const std::filesystem::path& out, Begin begin);
  void choose_precision();
  ResumePoint here(size_t member) const;
  void go_on(Begin begin);
  void restore(size_t member, const ResumePoint& point, model::ParameterArrays values,
               const checkpoint::TrainingState& state);
  std::optional<RunEnd> ended() const;
  void step();
  void flush_log();
  void evaluate_and_keep_best();
  void sample();
  void save_last();
  void verify_frozen(size_t member) const;
  EvaluationMetrics stored_best(const RunMember& member) const;
  EvaluationMetrics metrics_of(const RunMember& member, const Evaluation& evaluation) const;
  double seconds() const;
  double clock() const;  // fraction of the wall time that the run may take
  double fraction() const;
  double flops_per_second(int64_t steps, double step_seconds) const;

  RunConfig config_;  // resolved: threads, device, precision
  ProgressReporter& reporter_;
  RunData data_;
  std::vector<RunMember> members_;
  SeedTeam team_;
  checkpoint::Form form_;
  LrSchedule schedule_;
  std::string machine_;

  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  double seconds_before_ = 0.0;  // of work before the run was resumed
  int64_t steps_ = 0;
  double lr_ = 0.0;            // of the last step
  double step_seconds_ = 0.0;  // since the last line of the log
  int64_t logged_at_ = 0;      // step of the last line
  double all_step_seconds_ = 0.0;
  int64_t first_step_ = 0;     // of this process
  int64_t step_flops_ = 0;     // of one seed's optimizer step
  double peak_flops_ = 0.0;    // of the machine, a second
  int64_t evaluated_at_ = -1;  // step of the last evaluation
  int64_t sampled_at_ = -1;
};

}  // namespace mesita::training
