#include "model/inference/scoring.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "model/inference/engine.h"

namespace mesita::inference {
namespace {

class Collector : public TokenSink {
 public:
  void on_prompt_token(int64_t, int32_t id, const Distribution* distribution) override {
    if (distribution != nullptr) logprobs.push_back(distribution->logprob(id));
  }
  Continuation on_token(int32_t, const Distribution&) override { return Continuation::stop; }
  void on_finish(FinishReason) override {}
  void on_error(const std::string& message) override { error = message; }

  std::vector<double> logprobs;
  std::string error;
};

}  // namespace

std::vector<double> score(const model::LanguageModel& model, std::span<const int32_t> ids) {
  // The engine lives no longer than this call, so it need not own the model.
  Engine engine(std::shared_ptr<const model::LanguageModel>(std::shared_ptr<void>(), &model));
  Collector collector;
  SequenceRequest request;
  request.prompt.assign(ids.begin(), ids.end());
  request.score_prompt = true;
  request.max_tokens = 0;
  engine.submit(std::move(request), collector);
  while (engine.step()) {
  }
  if (!collector.error.empty()) throw std::runtime_error("score: " + collector.error);
  return std::move(collector.logprobs);
}

}  // namespace mesita::inference
