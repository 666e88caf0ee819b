#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "model/inference/engine.h"
#include "server/http/api_error.h"

namespace mesita::http {

/// What sinks are told when the server stops.
inline constexpr std::string_view kShuttingDown = "the server is shutting down";

/// The error that a client gets for a sink's message: 503 for kShuttingDown, else 500.
ApiError failure(const std::string& message);

/// One thread that computes for all requests: an engine per model, models with work taking turns
/// step by step. Sinks are called on it. All methods may be called from any thread.
class EngineThread {
 public:
  using Ticket = uint64_t;

  /// One sequence for the model of that number.
  struct Job {
    size_t model = 0;
    inference::SequenceRequest request;
    std::shared_ptr<inference::TokenSink> sink;  // kept until its last call
  };

  /// Sequences admitted, all models together, when nothing else is said.
  static constexpr int64_t kAdmitted = 256;

  explicit EngineThread(std::vector<std::shared_ptr<const model::LanguageModel>> models,
                        int64_t admitted = kAdmitted);
  ~EngineThread();
  EngineThread(const EngineThread&) = delete;
  EngineThread& operator=(const EngineThread&) = delete;

  /// Throws ApiError 400 naming `param` for more sequences than are ever admitted at once: for
  /// callers that have work to do before they can submit.
  void require_admissible(int64_t sequences, const std::string& param) const;
  /// Admits all jobs or none. Throws ApiError as require_admissible for too many, 429 while
  /// there is no room, 503 after stop(). What the engine refuses reaches the sink as an error.
  std::vector<Ticket> submit(std::vector<Job> jobs);
  /// Ends sequences; unknown tickets are ignored. Their sinks get on_finish(cancelled) soon.
  void cancel(std::vector<Ticket> tickets);
  /// Ends all sequences with an error that says so, and the thread.
  void stop();

  /// Sequences admitted and not finished.
  int64_t active() const { return active_; }
  int64_t admitted() const { return admitted_; }

 private:
  class Sequence;
  // A list: taking its elements over allocates nothing on the thread, which could not report it.
  using Sequences = std::list<std::unique_ptr<Sequence>>;
  struct Commands {
    Sequences begins;
    std::vector<Ticket> cancels;
  };

  void run();
  void begin(Sequence& sequence);
  void end(Ticket ticket);
  void step(size_t model);
  /// Forgets sequences whose sinks had their last call.
  void sweep();

  const int64_t admitted_;
  std::atomic<int64_t> active_{0};
  std::mutex mutex_;
  std::condition_variable wake_;
  Commands commands_;
  Ticket next_ticket_ = 1;
  bool stopping_ = false;
  std::once_flag stopped_;

  // Of the thread alone.
  std::vector<std::unique_ptr<inference::Engine>> engines_;
  Sequences sequences_;

  std::thread thread_;
};

}  // namespace mesita::http
