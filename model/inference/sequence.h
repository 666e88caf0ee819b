#pragma once

#include <cstdint>
#include <string>

#include "model/inference/engine.h"

namespace mesita::inference {

/// What the engine knows of one sequence. Everything that can fail because of its own sink or
/// options ends this sequence alone.
struct Engine::Sequence {
  Sequence(Ticket number, SequenceRequest what, TokenSink& receiver, model::SequenceState empty,
           int64_t context);

  /// Ids that the model has yet to see before the next turn is over: a piece of the prompt, or the
  /// token drawn last. Empty when nothing has to be computed any more.
  std::span<const int32_t> next_ids() const;
  /// Whether the token at `position` is asked for: a prompt token to score or a token to draw.
  bool wants(int64_t position) const;

  /// Reports prompt token 0, which nothing predicts.
  void begin();
  /// Hands the token at `position` to the sink: a prompt token, or a new one drawn from it.
  void receive(int64_t position, const Distribution& distribution);
  void finish(FinishReason reason);
  void fail(const std::string& message);

  Ticket ticket;
  SequenceRequest request;
  TokenSink* sink;
  model::SequenceState state;
  TokenHistory history;
  int64_t prompt_length;
  int64_t limit;        // tokens to draw at most
  int64_t drawn = 0;    // tokens drawn
  int32_t last_id = 0;  // the token drawn last
  bool begun = false;
  bool finished = false;  // the sink has had its last call

 private:
  /// What `work` throws ends the sequence.
  template <typename Work>
  void guarded(Work work);
  void draw(int64_t position, const Distribution& distribution);
};

}  // namespace mesita::inference
