#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "model/inference/engine.h"

namespace mesita::inference {

/// A sink that keeps all it is told. `after_token` and `after_prompt_token` may interfere.
class RecordingSink : public TokenSink {
 public:
  void on_prompt_token(int64_t index, int32_t id, const Distribution* distribution) override {
    EXPECT_EQ(index, static_cast<int64_t>(prompt.size()));
    EXPECT_EQ(ends, 0);
    EXPECT_EQ(distribution == nullptr, index == 0);
    prompt.push_back(id);
    if (distribution != nullptr) prompt_logprobs.push_back(distribution->logprob(id));
    if (after_prompt_token) after_prompt_token();
  }
  Continuation on_token(int32_t id, const Distribution& distribution) override {
    EXPECT_EQ(ends, 0);
    ids.push_back(id);
    logprobs.push_back(distribution.logprob(id));
    tops.push_back(distribution.top(3));
    return after_token ? after_token() : Continuation::go_on;
  }
  void on_finish(FinishReason why) override {
    ++ends;
    reason = why;
  }
  void on_error(const std::string& message) override {
    ++ends;
    error = message;
  }

  /// Everything that requests can see, for comparing bit by bit.
  auto all() const { return std::tie(prompt, prompt_logprobs, ids, logprobs, tops, reason, error); }

  std::vector<int32_t> prompt, ids;
  std::vector<double> prompt_logprobs, logprobs;
  std::vector<std::vector<int32_t>> tops;
  std::optional<FinishReason> reason;
  std::string error;
  int ends = 0;  // last calls: exactly one
  std::function<Continuation()> after_token;
  std::function<void()> after_prompt_token;
};

inline void run(Engine& engine) {
  while (engine.step()) {
  }
}

}  // namespace mesita::inference
