#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/inference/sampler.h"
#include "server/evaluation/stop_filter.h"
#include "server/http/choice_delta.h"
#include "server/http/text_track.h"
#include "tokenizer/tokenizer.h"

namespace mesita::http {

/// How a choice is reported, beside the prompt.
struct ReportOptions {
  std::optional<int64_t> logprobs;  // number of alternatives
  std::vector<std::string> stop;
};

/// A prompt as its choices report it; they share it.
struct PromptText {
  bool echoed = false;
  std::vector<TextTrack::Step> steps;  // of each visible id, when echoed
  std::string text;                    // of all, when echoed
  int64_t code_points = 0;             // of `text`
  tokenizer::Tokenizer::Place after = tokenizer::Tokenizer::Place::start;  // where choices begin
};

/// Decodes the visible ids of a prompt (document_start not among them).
PromptText read_prompt(const tokenizer::Tokenizer& tokenizer, const std::vector<int32_t>& ids,
                       bool echo);

/// Turns one choice's ids into deltas: decoding, stop strings, offsets, logprobs. Plain and
/// deterministic: streamed and whole answers are made of the same deltas.
class ChoiceAssembler {
 public:
  /// `prompt` is echoed as read_prompt was told. The tokenizer must outlive this.
  ChoiceAssembler(const tokenizer::Tokenizer& tokenizer, std::shared_ptr<const PromptText> prompt,
                  const ReportOptions& options);

  /// Whether the prompt's distributions are wanted.
  bool scores_prompt() const { return prompt_->echoed && options_.logprobs.has_value(); }
  /// Enters the logprob of the next visible prompt token; `distribution` is null for a token that
  /// nothing precedes. Only when scores_prompt().
  void enter_prompt_token(int32_t id, const inference::Distribution* distribution);
  /// The echoed prompt; empty without echo. Call once, before the first push.
  ChoiceDelta prompt();

  /// Enters a drawn id. After a delta for which stopped() holds, no more ids are taken.
  ChoiceDelta push(int32_t id, const inference::Distribution& distribution);
  bool stopped() const { return stops_.stopped(); }
  /// The last delta. `ended`: the end id was drawn.
  ChoiceDelta finish(bool ended);

 private:
  TokenLogprob describe(int32_t id, const inference::Distribution* distribution,
                        tokenizer::Tokenizer::Place place) const;

  const tokenizer::Tokenizer* tokenizer_;
  ReportOptions options_;
  std::shared_ptr<const PromptText> prompt_;
  std::vector<TokenLogprob> prompt_logprobs_;
  TextTrack track_;  // of the generated text
  evaluation::StopFilter stops_;
};

}  // namespace mesita::http
