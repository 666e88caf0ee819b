#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/evaluation/perplexity.h"
#include "server/http/engine_thread.h"
#include "server/http/mailbox.h"
#include "server/http/model_registry.h"

namespace mesita::http {

/// A text of a model, prepared, with what its windows gave so far.
struct ScoringTask {
  const ModelEntry* model = nullptr;
  evaluation::PreparedText text;
  std::vector<std::optional<std::vector<double>>> windows;  // logprobs
};

/// Scores the windows of many texts through the engine's thread, a few at a time, beside all other
/// requests. Destroying it cancels what is not finished.
class ScoringRun {
 public:
  /// Windows of one run that are at work at once.
  static constexpr size_t kAtOnce = 8;

  /// Throws what EngineThread::submit throws. Models must outlive this.
  ScoringRun(EngineThread& engine, std::vector<ScoringTask> tasks);
  ~ScoringRun();
  ScoringRun(const ScoringRun&) = delete;
  ScoringRun& operator=(const ScoringRun&) = delete;

  /// Waits up to `patience` for progress; false when all is scored. Throws ApiError when a window
  /// failed.
  bool advance(std::chrono::milliseconds patience);
  /// The scores, in the tasks' order; windows are entered in order, so sums are always the same
  /// bits.
  std::vector<evaluation::TextScore> scores();

 private:
  class WindowSink;
  struct Place {
    size_t task = 0;
    size_t window = 0;
  };
  struct Result {
    Place place;
    std::vector<double> logprobs;
    std::string error;
  };

  void submit_next();

  EngineThread& engine_;
  std::shared_ptr<Mailbox<Result>> mailbox_;
  std::vector<ScoringTask> tasks_;
  std::deque<Place> waiting_;
  std::vector<EngineThread::Ticket> tickets_;
  size_t at_work_ = 0;
};

}  // namespace mesita::http
