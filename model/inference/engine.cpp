#include "model/inference/engine.h"

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <utility>

#include "model/inference/sequence.h"

namespace mesita::inference {
namespace {

// Logits in memory at a time, however many rows want theirs.
constexpr int64_t kLogits = int64_t{1} << 22;

/// Sets a flag for the length of a scope.
class Raised {
 public:
  explicit Raised(bool& flag) : flag_(flag), before_(std::exchange(flag, true)) {}
  ~Raised() { flag_ = before_; }
  Raised(const Raised&) = delete;
  Raised& operator=(const Raised&) = delete;

 private:
  bool& flag_;
  bool before_;
};

void check(const SequenceRequest& request, const model::ModelConfig& config) {
  if (request.prompt.empty()) throw std::invalid_argument("prompt: needs at least one id");
  if (static_cast<int64_t>(request.prompt.size()) > config.context) {
    throw std::invalid_argument("prompt: has " + std::to_string(request.prompt.size()) +
                                " ids, but the model's context is " +
                                std::to_string(config.context));
  }
  for (const int32_t id : request.prompt) {
    if (id < 0 || id >= config.vocabulary) {
      throw std::invalid_argument("prompt: id " + std::to_string(id) +
                                  " is outside the vocabulary of " +
                                  std::to_string(config.vocabulary));
    }
  }
  if (request.max_tokens < 0) throw std::invalid_argument("max_tokens: must not be negative");
  validate(request.sampling, config.vocabulary);
}

}  // namespace

Engine::Engine(std::shared_ptr<const model::LanguageModel> model) : model_(std::move(model)) {}
Engine::~Engine() = default;

const model::LanguageModel& Engine::model() const {
  return *model_;
}

Engine::Ticket Engine::submit(SequenceRequest request, TokenSink& sink) {
  const model::ModelConfig& config = model_->config();
  check(request, config);
  sequences_.push_back(std::make_unique<Sequence>(next_ticket_, std::move(request), sink,
                                                  model_->new_sequence(), config.context));
  return next_ticket_++;
}

void Engine::cancel(Ticket ticket) {
  const auto found = std::ranges::find_if(
      sequences_, [&](const auto& sequence) { return sequence->ticket == ticket; });
  if (found == sequences_.end()) return;
  {
    const Raised busy(busy_);
    (*found)->finish(FinishReason::cancelled);
  }
  remove_finished();
}

int64_t Engine::active() const {
  return std::ranges::count_if(sequences_,
                               [](const auto& sequence) { return !sequence->finished; });
}

bool Engine::step() {
  if (busy_) throw std::invalid_argument("Engine::step: called by a sink");
  if (sequences_.empty()) return false;
  {
    const Raised busy(busy_);
    const std::vector<Prediction> predictions = advance_sequences();
    const auto piece =
        static_cast<size_t>(std::max<int64_t>(1, kLogits / model_->config().vocabulary));
    for (size_t first = 0; first < predictions.size(); first += piece) {
      const size_t count = std::min(piece, predictions.size() - first);
      deliver(std::span(predictions).subspan(first, count));
    }
  }
  remove_finished();
  return true;
}

void Engine::remove_finished() {
  if (busy_) return;
  std::erase_if(sequences_, [](const auto& sequence) { return sequence->finished; });
}

std::vector<Engine::Prediction> Engine::advance_sequences() {
  std::vector<Sequence*> turns;  // who takes part, for each segment
  std::vector<model::RowSegment> segments;
  std::vector<int32_t> ids;
  // By index: a sink that hears of its first token may submit another sequence.
  for (size_t i = 0; i < sequences_.size(); ++i) {
    Sequence& sequence = *sequences_[i];
    sequence.begin();
    if (sequence.finished) continue;
    const std::span<const int32_t> next = sequence.next_ids();
    if (next.empty()) {
      sequence.finish(FinishReason::length);
      continue;
    }
    turns.push_back(&sequence);
    segments.push_back({.sequence = &sequence.state,
                        .first_row = static_cast<int64_t>(ids.size()),
                        .rows = static_cast<int64_t>(next.size())});
    ids.insert(ids.end(), next.begin(), next.end());
  }

  if (turns.empty()) return {};
  const auto width = static_cast<size_t>(model_->config().width);
  hidden_.resize(ids.size() * width);
  try {
    model_->advance(segments, ids, hidden_);
  } catch (const std::exception&) {
    // Sequences are unchanged: one at a time shows whose fault it was.
    for (size_t i = 0; i < turns.size(); ++i) {
      model::RowSegment alone = segments[i];
      const auto row = static_cast<size_t>(std::exchange(alone.first_row, 0));
      const auto rows = static_cast<size_t>(alone.rows);
      try {
        model_->advance({&alone, 1}, std::span(ids).subspan(row, rows),
                        std::span(hidden_).subspan(row * width, rows * width));
      } catch (const std::exception& error) {
        turns[i]->fail(error.what());
      }
    }
  }

  std::vector<Prediction> predictions;
  for (size_t i = 0; i < turns.size(); ++i) {
    const model::RowSegment& segment = segments[i];
    const int64_t before = turns[i]->state.length - segment.rows;
    for (int64_t row = 0; row < segment.rows && !turns[i]->finished; ++row) {
      const int64_t position = before + row + 1;
      if (!turns[i]->wants(position)) continue;
      predictions.push_back({turns[i], segment.first_row + row, position});
    }
  }
  return predictions;
}

void Engine::deliver(std::span<const Prediction> predictions) {
  const auto width = static_cast<size_t>(model_->config().width);
  const auto vocabulary = static_cast<size_t>(model_->config().vocabulary);
  std::vector<float> hidden;  // [predictions, width]
  hidden.reserve(predictions.size() * width);
  for (const Prediction& prediction : predictions) {
    const auto row = hidden_.begin() + prediction.row * static_cast<int64_t>(width);
    hidden.insert(hidden.end(), row, row + static_cast<int64_t>(width));
  }
  std::vector<float> logits(predictions.size() * vocabulary);  // [predictions, vocabulary]
  try {
    model_->logits(hidden, logits);
  } catch (const std::exception& error) {
    for (const Prediction& prediction : predictions) prediction.sequence->fail(error.what());
  }
  for (size_t i = 0; i < predictions.size(); ++i) {
    if (predictions[i].sequence->finished) continue;
    const std::span<const float> row = std::span(logits).subspan(i * vocabulary, vocabulary);
    predictions[i].sequence->receive(predictions[i].position, Distribution(row));
  }
}

}  // namespace mesita::inference
