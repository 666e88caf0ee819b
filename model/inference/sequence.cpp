#include "model/inference/sequence.h"

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <utility>

#include "model/kernels/seeded_normal.h"

namespace mesita::inference {
namespace {

/// A sink's last call: what it throws can change nothing any more.
template <typename Call>
void last_call(Call call) {
  try {
    call();
  } catch (...) {  // NOLINT(bugprone-empty-catch)
  }
}

}  // namespace

Engine::Sequence::Sequence(Ticket number, SequenceRequest what, TokenSink& receiver,
                           model::SequenceState empty, int64_t context)
    : ticket(number),
      request(std::move(what)),
      sink(&receiver),
      state(std::move(empty)),
      prompt_length(static_cast<int64_t>(request.prompt.size())),
      // The token after a full window is still predicted, from the window.
      limit(std::min(request.max_tokens, context - prompt_length + 1)) {
  if (request.sampling.repetition_penalty != 1.0) {
    for (const int32_t id : request.prompt) ++history.prompt[id];
  }
}

std::span<const int32_t> Engine::Sequence::next_ids() const {
  if (drawn > 0) return {&last_id, 1};
  // The last prompt token predicts only what is drawn.
  const int64_t needed = limit > 0 ? prompt_length : request.score_prompt ? prompt_length - 1 : 0;
  const int64_t count = std::min(kPromptRows, needed - state.length);
  return std::span(request.prompt)
      .subspan(static_cast<size_t>(state.length), static_cast<size_t>(count));
}

bool Engine::Sequence::wants(int64_t position) const {
  return position >= prompt_length || request.score_prompt;
}

template <typename Work>
void Engine::Sequence::guarded(Work work) {
  try {
    work();
  } catch (const std::exception& error) {
    fail(error.what());
  } catch (...) {
    fail("the sink threw something that is not a std::exception");
  }
}

void Engine::Sequence::begin() {
  if (std::exchange(begun, true) || !request.score_prompt) return;
  guarded([&] { sink->on_prompt_token(0, request.prompt.front(), nullptr); });
}

void Engine::Sequence::receive(int64_t position, const Distribution& distribution) {
  if (finished) return;
  guarded([&] {
    if (!distribution.is_proper()) {
      throw std::runtime_error("the model's logits for the token at position " +
                               std::to_string(position) +
                               " are not finite numbers; its weights are broken");
    }
    if (position >= prompt_length) return draw(position, distribution);
    sink->on_prompt_token(position, request.prompt[static_cast<size_t>(position)], &distribution);
    if (position + 1 == prompt_length && limit == 0) finish(FinishReason::length);
  });
}

void Engine::Sequence::draw(int64_t position, const Distribution& distribution) {
  const double uniform =
      kernels::seeded_uniform(request.seed, request.choice, static_cast<uint64_t>(position));
  last_id = sample(distribution, request.sampling, history, uniform);
  ++history.generated[last_id];
  ++drawn;
  const Continuation answer = sink->on_token(last_id, distribution);
  if (request.end == last_id) {
    finish(FinishReason::end);
  } else if (answer == Continuation::stop) {
    finish(FinishReason::stopped);
  } else if (drawn == limit) {
    finish(FinishReason::length);
  }
}

void Engine::Sequence::finish(FinishReason reason) {
  if (std::exchange(finished, true)) return;
  last_call([&] { sink->on_finish(reason); });
}

void Engine::Sequence::fail(const std::string& message) {
  if (std::exchange(finished, true)) return;
  last_call([&] { sink->on_error(message); });
}

}  // namespace mesita::inference
