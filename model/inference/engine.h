#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/inference/sampler.h"
#include "model/language_model.h"

namespace mesita::inference {

/// Why a sequence ended.
enum class FinishReason {
  end,        // the end id was drawn
  stopped,    // the sink asked for it
  length,     // max_tokens or the context is reached
  cancelled,  // Engine::cancel
};

/// A sink's answer to a token.
enum class Continuation { go_on, stop };

/// Receives what the engine computes for one sequence, on the thread that calls Engine::step.
/// References are valid during the call.
class TokenSink {
 public:
  virtual ~TokenSink() = default;
  /// Prompt token number `index` (0, 1, ...) and the distribution that predicted it; null for the
  /// first, which nothing precedes. Only called when the request scores its prompt.
  virtual void on_prompt_token(int64_t index, int32_t id, const Distribution* distribution) = 0;
  /// A drawn token, the end id included, and the model's distribution for it.
  virtual Continuation on_token(int32_t id, const Distribution& distribution) = 0;
  /// Last call.
  virtual void on_finish(FinishReason reason) = 0;
  /// Last call when the computation failed instead; the engine goes on with the others.
  virtual void on_error(const std::string& message) = 0;
};

/// One sequence to continue or score.
struct SequenceRequest {
  std::vector<int32_t> prompt;  // at least one id
  bool score_prompt = false;    // report prompt tokens
  int64_t max_tokens = 16;      // tokens to draw, 0 for scoring alone
  std::optional<int32_t> end;   // id that ends generation
  SamplingOptions sampling;
  uint64_t seed = 0;  // a token is drawn from (seed, choice, absolute position)
  uint64_t choice = 0;
};

/// Serves sequences of one model: each step() gives every active sequence one token or one piece of
/// its prompt, in one batch. Results do not depend on the other sequences. No threads of its own;
/// all calls from one thread.
class Engine {
 public:
  using Ticket = uint64_t;

  /// Prompt rows that one sequence may put into a step.
  static constexpr int64_t kPromptRows = 64;

  /// The model must be prepared for inference.
  explicit Engine(std::shared_ptr<const model::LanguageModel> model);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  const model::LanguageModel& model() const;

  /// Throws std::invalid_argument for an empty prompt, ids outside the vocabulary, a prompt longer
  /// than the context, negative max_tokens, or bad sampling options. The sink must live until its
  /// last call. Sinks may call submit and cancel, but not step.
  Ticket submit(SequenceRequest request, TokenSink& sink);
  /// Ends a sequence (on_finish(cancelled) is called before this returns); unknown tickets are
  /// ignored.
  void cancel(Ticket ticket);
  /// Advances all sequences by one turn; false when there are none.
  bool step();
  /// Sequences not finished.
  int64_t active() const;

 private:
  struct Sequence;
  /// A hidden vector of this step whose logits are wanted.
  struct Prediction {
    Sequence* sequence;
    int64_t row;       // of hidden_
    int64_t position;  // of the token that it predicts
  };

  /// Computes the next hidden vectors of all sequences and lists what they predict.
  std::vector<Prediction> advance_sequences();
  /// Logits of a few predictions, and what follows from them for their sequences.
  void deliver(std::span<const Prediction> predictions);
  void remove_finished();

  std::shared_ptr<const model::LanguageModel> model_;
  std::vector<std::unique_ptr<Sequence>> sequences_;  // in order of submission
  Ticket next_ticket_ = 1;
  bool busy_ = false;          // a sink may be running: sequences must stay where they are
  std::vector<float> hidden_;  // [rows of this step, width]
};

}  // namespace mesita::inference
