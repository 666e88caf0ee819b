#include "server/http/completion_run.h"

#include <new>
#include <utility>

#include "server/http/choice_assembler.h"

namespace mesita::http {

using inference::Continuation;
using inference::Distribution;
using inference::FinishReason;

/// Turns what the engine computes for one choice into updates, on the engine's thread.
class CompletionRun::ChoiceSink final : public inference::TokenSink {
 public:
  ChoiceSink(size_t part, int64_t choice, std::shared_ptr<const evaluation::ModelHandle> model,
             size_t hidden, std::shared_ptr<const PromptText> prompt, const ReportOptions& report,
             std::shared_ptr<Mailbox<ChoiceUpdate>> mailbox)
      : part_(part),
        choice_(choice),
        hidden_(static_cast<int64_t>(hidden)),
        model_(std::move(model)),
        assembler_(*model_->tokenizer, std::move(prompt), report),
        mailbox_(std::move(mailbox)) {}

  bool scores_prompt() const { return assembler_.scores_prompt(); }

  void on_prompt_token(int64_t index, int32_t id, const Distribution* distribution) override {
    if (index >= hidden_) assembler_.enter_prompt_token(id, distribution);
  }
  Continuation on_token(int32_t id, const Distribution& distribution) override {
    begin();
    post(assembler_.push(id, distribution));
    return assembler_.stopped() ? Continuation::stop : Continuation::go_on;
  }
  void on_finish(FinishReason reason) override {
    if (reason == FinishReason::cancelled) return;  // nobody waits any more
    begin();
    post(assembler_.finish(reason == FinishReason::end));
  }
  void on_error(const std::string& message) override {
    try {
      mailbox_->post({part_, choice_, {}, message.empty() ? "the computation failed" : message});
    } catch (const std::bad_alloc&) {
      mailbox_->lose();
    }
  }

 private:
  void begin() {
    if (std::exchange(begun_, true)) return;
    ChoiceDelta prompt = assembler_.prompt();
    if (!prompt.empty()) post(std::move(prompt));
  }
  void post(ChoiceDelta delta) { mailbox_->post({part_, choice_, std::move(delta), {}}); }

  size_t part_;
  int64_t choice_;
  int64_t hidden_;
  std::shared_ptr<const evaluation::ModelHandle> model_;
  ChoiceAssembler assembler_;
  std::shared_ptr<Mailbox<ChoiceUpdate>> mailbox_;
  bool begun_ = false;
};

CompletionRun::CompletionRun(EngineThread& engine, const std::vector<const ModelEntry*>& models,
                             const CompletionRequest& request, int64_t seed)
    : engine_(engine),
      mailbox_(std::make_shared<Mailbox<ChoiceUpdate>>()),
      choices_(static_cast<int64_t>(request.prompts.size()) * request.choices),
      usage_(models.size()) {
  const auto prompts = static_cast<int64_t>(models.size() * request.prompts.size());
  engine.require_admissible(prompts, "prompt");
  engine.require_admissible(prompts * request.choices, "n");
  const ReportOptions report{request.logprobs, request.stop};
  std::vector<EngineThread::Job> jobs;
  for (size_t part = 0; part < models.size(); ++part) {
    const ModelEntry& model = *models[part];
    check_sampling(model, request.sampling);
    int64_t choice = 0;
    for (const Prompt& written : request.prompts) {
      const PromptIds prompt = prompt_ids(model, written, request);
      const auto text = std::make_shared<const PromptText>(
          read_prompt(*model.model().tokenizer, prompt.visible(), request.echo));
      usage_[part].prompt_tokens += static_cast<int64_t>(prompt.ids.size());
      for (int64_t k = 0; k < request.choices; ++k) {
        auto sink = std::make_shared<ChoiceSink>(part, choice++, model.handle, prompt.hidden, text,
                                                 report, mailbox_);
        inference::SequenceRequest sequence{.prompt = prompt.ids,
                                            .score_prompt = sink->scores_prompt(),
                                            .max_tokens = request.max_tokens,
                                            .end = model.model().config.end,
                                            .sampling = request.sampling,
                                            .seed = static_cast<uint64_t>(seed),
                                            .choice = static_cast<uint64_t>(k)};
        jobs.push_back({model.engine, std::move(sequence), std::move(sink)});
      }
    }
  }
  open_ = static_cast<int64_t>(jobs.size());
  tickets_ = engine_.submit(std::move(jobs));
}

CompletionRun::~CompletionRun() {
  if (!finished()) engine_.cancel(tickets_);
}

std::vector<ChoiceUpdate> CompletionRun::take(std::chrono::milliseconds patience) {
  std::vector<ChoiceUpdate> updates = mailbox_->take(patience);
  for (const ChoiceUpdate& update : updates) {
    usage_[update.part].completion_tokens += update.delta.tokens;
    if (update.delta.finish_reason || !update.error.empty()) --open_;
  }
  return updates;
}

}  // namespace mesita::http
