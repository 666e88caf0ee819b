#include "training/samples.h"

#include <stdexcept>

#include "model/inference/engine.h"

namespace mesita::training {
namespace {

class Collector final : public inference::TokenSink {
 public:
  std::vector<int32_t> ids;
  std::string error;

  void on_prompt_token(int64_t, int32_t, const inference::Distribution*) override {}
  inference::Continuation on_token(int32_t id, const inference::Distribution&) override {
    ids.push_back(id);
    return inference::Continuation::go_on;
  }
  void on_finish(inference::FinishReason) override {}
  void on_error(const std::string& message) override { error = message; }
};

std::vector<int32_t> prompt_ids(const tokenizer::Tokenizer& tokenizer, std::optional<int32_t> start,
                                const std::string& prompt, int64_t context) {
  std::vector<int32_t> ids;
  if (start) ids.push_back(*start);
  if (!prompt.empty()) {
    const auto text = tokenizer.encode(prompt);
    ids.insert(ids.end(), text.begin(), text.end());
  }
  if (ids.empty())
    throw std::invalid_argument(
        "samples.prompts: an empty prompt needs a tokenizer with <s>; give a text");
  if (static_cast<int64_t>(ids.size()) >= context)
    throw std::invalid_argument("samples.prompts: a prompt of " + std::to_string(ids.size()) +
                                " ids fills the context of " + std::to_string(context));
  return ids;
}

// Ids alone cannot be shown: a run on token files has no samples unless it asks for some.
std::vector<std::string> prompts_of(const tokenizer::Tokenizer& tokenizer,
                                    const RunConfig& config) {
  const std::vector<std::string>& prompts = config.samples.prompts;
  if (tokenizer.kind() == "none" && prompts == std::vector<std::string>{""}) return {};
  return prompts;
}

}  // namespace

void check_prompts(const tokenizer::Tokenizer& tokenizer, std::optional<int32_t> start,
                   const RunConfig& config) {
  for (const std::string& prompt : prompts_of(tokenizer, config))
    prompt_ids(tokenizer, start, prompt, config.model.context);
}

std::vector<Sample> draw_samples(const std::shared_ptr<model::LanguageModel>& model,
                                 const tokenizer::Tokenizer& tokenizer,
                                 std::optional<int32_t> start, std::optional<int32_t> end,
                                 const RunConfig& config) {
  const std::vector<std::string> prompts = prompts_of(tokenizer, config);
  if (prompts.empty()) return {};
  model->prepare_inference();
  inference::Engine engine(model);
  std::vector<Collector> collectors(prompts.size());
  for (size_t i = 0; i < prompts.size(); ++i) {
    inference::SequenceRequest request;
    request.prompt = prompt_ids(tokenizer, start, prompts[i], config.model.context);
    request.max_tokens = config.samples.tokens;
    request.end = end;
    request.sampling.temperature = config.samples.temperature;
    request.seed = static_cast<uint64_t>(config.seed);
    request.choice = i;
    engine.submit(std::move(request), collectors[i]);
  }
  while (engine.step()) {
  }
  std::vector<Sample> samples;
  for (size_t i = 0; i < prompts.size(); ++i) {
    if (!collectors[i].error.empty())
      throw std::runtime_error("sampling failed: " + collectors[i].error);
    samples.push_back({prompts[i], tokenizer.decode(collectors[i].ids)});
  }
  return samples;
}

}  // namespace mesita::training
