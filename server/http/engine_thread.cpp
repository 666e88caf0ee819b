#include "server/http/engine_thread.h"

#include <spdlog/spdlog.h>

#include <new>
#include <stdexcept>
#include <utility>

namespace mesita::http {

ApiError failure(const std::string& message) {
  return message == kShuttingDown ? unavailable(message) : server_error(message);
}

using inference::Continuation;
using inference::Distribution;
using inference::FinishReason;

/// Stands between engine and sink: an exception of the sink ends its own sequence only, and the
/// last call is noted.
class EngineThread::Sequence final : public inference::TokenSink {
 public:
  Sequence(Ticket ticket, Job job, std::atomic<int64_t>& active)
      : ticket_(ticket),
        model_(job.model),
        request_(std::move(job.request)),
        sink_(std::move(job.sink)),
        active_(active) {}

  Ticket ticket() const { return ticket_; }
  size_t model() const { return model_; }
  inference::SequenceRequest take_request() { return std::move(request_); }
  bool finished() const { return finished_; }
  void set_engine_ticket(inference::Engine::Ticket ticket) { engine_ticket_ = ticket; }
  inference::Engine::Ticket engine_ticket() const { return engine_ticket_; }

  void on_prompt_token(int64_t index, int32_t id, const Distribution* distribution) override {
    pass_on([&] { sink_->on_prompt_token(index, id, distribution); });
  }
  Continuation on_token(int32_t id, const Distribution& distribution) override {
    Continuation answer = Continuation::stop;
    pass_on([&] { answer = sink_->on_token(id, distribution); });
    return answer;
  }
  void on_finish(FinishReason reason) override {
    leave();
    pass_on([&] { sink_->on_finish(reason); });
    finished_ = true;
  }
  void on_error(const std::string& message) override { fail(message); }
  void fail(std::string_view message) {
    tell(message);
    finished_ = true;
  }

  /// Makes an error the sink's last call; without a message when there is no memory for it.
  void tell(std::string_view message) {
    if (std::exchange(told_, true)) return;
    leave();
    std::string text;
    try {
      text = message;
    } catch (const std::bad_alloc&) {
      text.clear();
    }
    try {
      sink_->on_error(text);
    } catch (const std::exception& error) {
      spdlog::error("a request could not be told of its failure: {}", error.what());
    }
  }

 private:
  template <typename Call>
  void pass_on(const Call& call) {
    if (told_) return;
    try {
      call();
    } catch (const std::exception& error) {
      spdlog::error("a sequence failed: {}", error.what());
      tell(error.what());
    }
  }

  /// Makes room for others; before the sink hears of the end, so that a client which then asks
  /// again at once finds it.
  void leave() {
    if (!std::exchange(left_, true)) --active_;
  }

  Ticket ticket_;
  size_t model_;
  inference::SequenceRequest request_;
  std::shared_ptr<inference::TokenSink> sink_;
  std::atomic<int64_t>& active_;
  bool left_ = false;
  inference::Engine::Ticket engine_ticket_ = 0;
  bool told_ = false;      // the sink had an error as its last call
  bool finished_ = false;  // the engine is done with it
};

EngineThread::EngineThread(std::vector<std::shared_ptr<const model::LanguageModel>> models,
                           int64_t admitted)
    : admitted_(admitted) {
  for (auto& model : models) engines_.push_back(std::make_unique<inference::Engine>(model));
  thread_ = std::thread([this] { run(); });
}

EngineThread::~EngineThread() {
  stop();
}

void EngineThread::require_admissible(int64_t sequences, const std::string& param) const {
  if (sequences <= admitted_) return;
  throw invalid_request("the request asks for " + std::to_string(sequences) +
                            " sequences (models x prompts x n), the server admits " +
                            std::to_string(admitted_) +
                            " at once: send fewer prompts or a smaller n",
                        param);
}

std::vector<EngineThread::Ticket> EngineThread::submit(std::vector<Job> jobs) {
  const auto wanted = static_cast<int64_t>(jobs.size());
  require_admissible(wanted, "");
  std::vector<Ticket> tickets;
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) throw unavailable(std::string(kShuttingDown));
    if (active_ + wanted > admitted_) throw overloaded(active_);
    Sequences begins;
    for (Job& job : jobs) {
      tickets.push_back(next_ticket_);
      begins.push_back(std::make_unique<Sequence>(next_ticket_++, std::move(job), active_));
    }
    active_ += wanted;
    commands_.begins.splice(commands_.begins.end(), begins);
  }
  wake_.notify_one();
  return tickets;
}

void EngineThread::cancel(std::vector<Ticket> tickets) {
  {
    const std::lock_guard lock(mutex_);
    commands_.cancels.insert(commands_.cancels.end(), tickets.begin(), tickets.end());
  }
  wake_.notify_one();
}

void EngineThread::stop() {
  std::call_once(stopped_, [this] {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_one();
    thread_.join();
  });
}

void EngineThread::run() {
  while (true) {
    Commands commands;
    bool stopping = false;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] {
        return stopping_ || !commands_.begins.empty() || !commands_.cancels.empty() ||
               !sequences_.empty();
      });
      commands = std::exchange(commands_, {});
      stopping = stopping_;
    }
    while (!commands.begins.empty()) {
      sequences_.splice(sequences_.end(), commands.begins, commands.begins.begin());
      begin(*sequences_.back());
    }
    for (const Ticket ticket : commands.cancels) end(ticket);
    if (stopping) {
      for (const auto& sequence : sequences_) sequence->tell(kShuttingDown);
      sequences_.clear();
      return;
    }
    for (size_t model = 0; model < engines_.size(); ++model) {
      if (engines_[model]->active() > 0) step(model);
    }
    sweep();
  }
}

void EngineThread::begin(Sequence& sequence) {
  try {
    inference::Engine& engine = *engines_[sequence.model()];
    sequence.set_engine_ticket(engine.submit(sequence.take_request(), sequence));
  } catch (const std::exception& error) {
    sequence.fail(error.what());
  }
}

void EngineThread::end(Ticket ticket) {
  for (const auto& sequence : sequences_) {
    if (sequence->ticket() != ticket || sequence->finished()) continue;
    engines_[sequence->model()]->cancel(sequence->engine_ticket());
  }
}

void EngineThread::step(size_t model) {
  try {
    engines_[model]->step();
  } catch (const std::exception& error) {
    spdlog::error("the engine failed: {}", error.what());
    for (const auto& sequence : sequences_) {
      if (sequence->model() != model || sequence->finished()) continue;
      sequence->tell("the computation failed");
      engines_[model]->cancel(sequence->engine_ticket());
    }
  }
}

void EngineThread::sweep() {
  std::erase_if(sequences_, [](const auto& sequence) { return sequence->finished(); });
}

}  // namespace mesita::http
