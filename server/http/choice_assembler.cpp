#include "server/http/choice_assembler.h"

#include <algorithm>
#include <utility>

namespace mesita::http {

namespace {

using Place = tokenizer::Tokenizer::Place;

/// Where the generated text stands: ids without text before it leave it at the start.
Place place_after(const tokenizer::Tokenizer& tokenizer, const std::vector<int32_t>& prompt) {
  const auto special = [&](int32_t id) { return tokenizer.special_name(id).has_value(); };
  return std::all_of(prompt.begin(), prompt.end(), special) ? Place::start : Place::inside;
}

}  // namespace

PromptText read_prompt(const tokenizer::Tokenizer& tokenizer, const std::vector<int32_t>& ids,
                       bool echo) {
  PromptText prompt;
  prompt.echoed = echo;
  prompt.after = place_after(tokenizer, ids);
  if (!echo) return prompt;
  TextTrack track(tokenizer, Place::start, 0);
  for (const int32_t id : ids) {
    prompt.steps.push_back(track.push(id));
    prompt.text += prompt.steps.back().text;
  }
  prompt.text += track.finish();
  prompt.code_points = track.offset();
  return prompt;
}

ChoiceAssembler::ChoiceAssembler(const tokenizer::Tokenizer& tokenizer,
                                 std::shared_ptr<const PromptText> prompt,
                                 const ReportOptions& options)
    : tokenizer_(&tokenizer),
      options_(options),
      prompt_(std::move(prompt)),
      track_(tokenizer, prompt_->after, prompt_->code_points),
      stops_(options.stop) {}

TokenLogprob ChoiceAssembler::describe(int32_t id, const inference::Distribution* distribution,
                                       Place place) const {
  if (distribution == nullptr) return {};
  return token_logprob(*distribution, id, *options_.logprobs, *tokenizer_, place);
}

void ChoiceAssembler::enter_prompt_token(int32_t id, const inference::Distribution* distribution) {
  const Place place = prompt_->steps[prompt_logprobs_.size()].place;
  prompt_logprobs_.push_back(describe(id, distribution, place));
}

ChoiceDelta ChoiceAssembler::prompt() {
  ChoiceDelta delta;
  delta.text = prompt_->text;
  for (size_t i = 0; i < prompt_logprobs_.size(); ++i) {
    const TextTrack::Step& step = prompt_->steps[i];
    delta.entries.push_back({step.shown, step.offset, std::move(prompt_logprobs_[i])});
  }
  prompt_logprobs_.clear();
  return delta;
}

ChoiceDelta ChoiceAssembler::push(int32_t id, const inference::Distribution& distribution) {
  TextTrack::Step step = track_.push(id);
  ChoiceDelta delta;
  delta.tokens = 1;
  if (options_.logprobs) {
    delta.entries.push_back(
        {std::move(step.shown), step.offset, describe(id, &distribution, step.place)});
  }
  delta.text = stops_.push(step.text);
  return delta;
}

ChoiceDelta ChoiceAssembler::finish(bool ended) {
  ChoiceDelta delta;
  if (!stopped()) {
    delta.text = stops_.push(track_.finish());
    delta.text += stops_.finish();
  }
  delta.finish_reason = ended || stopped() ? "stop" : "length";
  return delta;
}

}  // namespace mesita::http
