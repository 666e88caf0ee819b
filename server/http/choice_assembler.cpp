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

ChoiceAssembler::ChoiceAssembler(const tokenizer::Tokenizer& tokenizer,
                                 const std::vector<int32_t>& prompt, const ReportOptions& options)
    : tokenizer_(&tokenizer),
      options_(options),
      track_(tokenizer, place_after(tokenizer, prompt), 0),
      stops_(options.stop) {
  if (!options_.echo) return;
  TextTrack track(tokenizer, Place::start, 0);
  for (const int32_t id : prompt) {
    prompt_steps_.push_back(track.push(id));
    prompt_text_ += prompt_steps_.back().text;
  }
  prompt_text_ += track.finish();
  track_ = TextTrack(tokenizer, place_after(tokenizer, prompt), track.offset());
}

TokenLogprob ChoiceAssembler::describe(int32_t id,
                                       const inference::Distribution* distribution) const {
  if (distribution == nullptr) return {};
  return token_logprob(*distribution, id, *options_.logprobs, *tokenizer_);
}

void ChoiceAssembler::enter_prompt_token(int32_t id, const inference::Distribution* distribution) {
  prompt_logprobs_.push_back(describe(id, distribution));
}

ChoiceDelta ChoiceAssembler::prompt() {
  ChoiceDelta delta;
  delta.text = std::exchange(prompt_text_, {});
  for (size_t i = 0; i < prompt_logprobs_.size(); ++i) {
    delta.entries.push_back({std::move(prompt_steps_[i].shown), prompt_steps_[i].offset,
                             std::move(prompt_logprobs_[i])});
  }
  prompt_steps_.clear();
  prompt_logprobs_.clear();
  return delta;
}

ChoiceDelta ChoiceAssembler::push(int32_t id, const inference::Distribution& distribution) {
  TextTrack::Step step = track_.push(id);
  ChoiceDelta delta;
  delta.tokens = 1;
  if (options_.logprobs) {
    delta.entries.push_back({std::move(step.shown), step.offset, describe(id, &distribution)});
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
