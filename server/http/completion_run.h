#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/http/choice_delta.h"
#include "server/http/completion_json.h"
#include "server/http/completion_request.h"
#include "server/http/engine_thread.h"
#include "server/http/mailbox.h"
#include "server/http/model_registry.h"
#include "server/http/prompt_ids.h"

namespace mesita::http {

/// What happened to a choice of one of the models at work.
struct ChoiceUpdate {
  size_t part = 0;     // which model
  int64_t choice = 0;  // prompt x n + number within its prompt
  ChoiceDelta delta;
  std::string error;  // not empty: the choice failed, and gets nothing more
};

/// A completion request at work: by one model, or by several (compare). Destroying it cancels what
/// is not finished.
class CompletionRun {
 public:
  /// Throws ApiError: more choices than the engine ever admits (before any other work), prompts or
  /// options that a model refuses, and what EngineThread::submit
  /// throws. Models must outlive this.
  CompletionRun(EngineThread& engine, const std::vector<const ModelEntry*>& models,
                const CompletionRequest& request, int64_t seed);
  ~CompletionRun();
  CompletionRun(const CompletionRun&) = delete;
  CompletionRun& operator=(const CompletionRun&) = delete;

  /// What has happened, waiting up to `patience` for something; each choice's updates in order.
  std::vector<ChoiceUpdate> take(std::chrono::milliseconds patience);
  /// All choices have had their last update.
  bool finished() const { return open_ == 0; }
  /// Choices of each model.
  int64_t choices() const { return choices_; }
  /// Of one model so far.
  const Usage& usage(size_t part) const { return usage_[part]; }

 private:
  class ChoiceSink;

  EngineThread& engine_;
  std::shared_ptr<Mailbox<ChoiceUpdate>> mailbox_;
  std::vector<EngineThread::Ticket> tickets_;
  int64_t choices_ = 0;
  int64_t open_ = 0;
  std::vector<Usage> usage_;
};

}  // namespace mesita::http
