#include "server/evaluation/generation.h"

#include <stdexcept>
#include <utility>

#include "model/inference/engine.h"
#include "server/evaluation/stop_filter.h"
#include "tokenizer/incremental_decoder.h"

namespace mesita::evaluation {
namespace {

// Turns the ids of one choice into text.
class ChoiceSink : public inference::TokenSink {
 public:
  ChoiceSink(const tokenizer::Tokenizer& tokenizer, tokenizer::Tokenizer::Place place,
             const GenerationRequest& request, std::function<void(std::string_view)> write)
      : decoder_(tokenizer, place), filter_(request.stop), write_(std::move(write)) {}

  void on_prompt_token(int64_t, int32_t, const inference::Distribution*) override {}

  inference::Continuation on_token(int32_t id, const inference::Distribution&) override {
    ++result_.tokens;
    show(filter_.push(decoder_.push(id)));
    return filter_.stopped() ? inference::Continuation::stop : inference::Continuation::go_on;
  }

  void on_finish(inference::FinishReason reason) override {
    if (!filter_.stopped()) {
      show(filter_.push(decoder_.finish()));
      show(filter_.finish());
    }
    const bool length = reason == inference::FinishReason::length && !filter_.stopped();
    result_.finish_reason = length ? "length" : "stop";
  }

  void on_error(const std::string& message) override { error_ = message; }

  Generation take() {
    if (error_) throw std::runtime_error("generation failed: " + *error_);
    return std::move(result_);
  }

 private:
  void show(const std::string& text) {
    if (text.empty()) return;
    result_.text += text;
    if (write_) write_(text);
  }

  tokenizer::IncrementalDecoder decoder_;
  StopFilter filter_;
  std::function<void(std::string_view)> write_;
  Generation result_;
  std::optional<std::string> error_;
};

std::vector<int32_t> prompt_ids(const ModelHandle& model, const GenerationRequest& request) {
  if (request.prompt && !request.prompt->empty()) return encode_document(model, *request.prompt);
  // No text needs no tokenizer: a model without text has a start of document too.
  if (!model.config.document_start) {
    throw std::invalid_argument("the prompt is empty and the model '" + model.id +
                                "' has no start of a document to continue; give a prompt");
  }
  return {*model.config.document_start};
}

}  // namespace

std::vector<Generation> generate(const ModelHandle& model, const GenerationRequest& request,
                                 const TextSink& sink) {
  if (request.choices < 1) {
    throw std::invalid_argument("choices is " + std::to_string(request.choices) +
                                ", but must be at least 1");
  }
  inference::Engine engine(model.model);
  inference::SequenceRequest sequence;
  sequence.prompt = prompt_ids(model, request);
  sequence.max_tokens = request.max_tokens;
  sequence.end = model.config.end;
  sequence.sampling = request.sampling;
  sequence.seed = request.seed;
  const auto place = request.prompt.value_or("").empty() ? tokenizer::Tokenizer::Place::start
                                                         : tokenizer::Tokenizer::Place::inside;
  std::vector<Generation> results;
  for (int64_t choice = 0; choice < request.choices; ++choice) {
    std::function<void(std::string_view)> write;
    if (sink) write = [&sink, choice](std::string_view text) { sink(choice, text); };
    ChoiceSink choice_sink(*model.tokenizer, place, request, std::move(write));
    sequence.choice = static_cast<uint64_t>(choice);
    engine.submit(sequence, choice_sink);
    while (engine.step()) {
    }
    results.push_back(choice_sink.take());
  }
  return results;
}

}  // namespace mesita::evaluation
