#include "server/http/scoring_run.h"

#include <new>
#include <utility>

#include "server/http/api_error.h"
#include "server/http/token_logprob.h"

namespace mesita::http {

using inference::Continuation;
using inference::Distribution;
using inference::FinishReason;

/// Collects the logprobs of one window's scored tokens.
class ScoringRun::WindowSink final : public inference::TokenSink {
 public:
  WindowSink(Place place, int64_t first_scored, std::shared_ptr<Mailbox<Result>> mailbox)
      : result_{place, {}, {}}, first_scored_(first_scored), mailbox_(std::move(mailbox)) {}

  void on_prompt_token(int64_t index, int32_t id, const Distribution* distribution) override {
    if (index < first_scored_ || distribution == nullptr) return;
    result_.logprobs.push_back(finite_logprob(*distribution, id));
  }
  Continuation on_token(int32_t, const Distribution&) override { return Continuation::stop; }
  void on_finish(FinishReason reason) override {
    if (reason != FinishReason::cancelled) mailbox_->post(std::move(result_));
  }
  void on_error(const std::string& message) override {
    try {
      result_.error = message.empty() ? "the computation failed" : message;
      mailbox_->post(std::move(result_));
    } catch (const std::bad_alloc&) {
      mailbox_->lose();
    }
  }

 private:
  Result result_;
  int64_t first_scored_;
  std::shared_ptr<Mailbox<Result>> mailbox_;
};

ScoringRun::ScoringRun(EngineThread& engine, std::vector<ScoringTask> tasks)
    : engine_(engine), mailbox_(std::make_shared<Mailbox<Result>>()), tasks_(std::move(tasks)) {
  for (size_t task = 0; task < tasks_.size(); ++task) {
    tasks_[task].windows.resize(tasks_[task].text.windows.size());
    for (size_t window = 0; window < tasks_[task].windows.size(); ++window) {
      waiting_.push_back({task, window});
    }
  }
  if (!waiting_.empty()) submit_next();
}

ScoringRun::~ScoringRun() {
  if (at_work_ > 0) engine_.cancel(tickets_);
}

void ScoringRun::submit_next() {
  const Place place = waiting_.front();
  const ScoringTask& task = tasks_[place.task];
  const evaluation::Window& window = task.text.windows[place.window];
  inference::SequenceRequest request;
  request.prompt = task.text.input(window);
  request.score_prompt = true;
  request.max_tokens = 0;
  auto sink = std::make_shared<WindowSink>(place, window.first_scored, mailbox_);
  const auto tickets = engine_.submit({{task.model->engine, std::move(request), std::move(sink)}});
  if (at_work_ == 0) tickets_.clear();
  tickets_.push_back(tickets[0]);
  waiting_.pop_front();
  ++at_work_;
}

bool ScoringRun::advance(std::chrono::milliseconds patience) {
  while (!waiting_.empty() && at_work_ < kAtOnce) {
    try {
      submit_next();
    } catch (const ApiError& error) {
      // A full house is a reason to refuse a request, not to drop one that is half done.
      constexpr int kOverloaded = 429;
      if (error.status() != kOverloaded) throw;
      break;
    }
  }
  if (at_work_ == 0 && waiting_.empty()) return false;
  for (Result& result : mailbox_->take(patience)) {
    --at_work_;
    if (!result.error.empty()) throw failure(result.error);
    tasks_[result.place.task].windows[result.place.window] = std::move(result.logprobs);
  }
  return at_work_ > 0 || !waiting_.empty();
}

std::vector<evaluation::TextScore> ScoringRun::scores() {
  std::vector<evaluation::TextScore> scores;
  for (ScoringTask& task : tasks_) {
    for (size_t window = 0; window < task.windows.size(); ++window) {
      evaluation::enter_scores(task.text, window, task.windows[window].value());
    }
    scores.push_back({task.text.sums, std::move(task.text.tokens)});
  }
  return scores;
}

}  // namespace mesita::http
