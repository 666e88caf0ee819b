#include "model/inference/engine.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <limits>
#include <stdexcept>

#include "tests/model/inference/recording_sink.h"
#include "tests/support/tiny_model.h"

namespace mesita::inference {
namespace {

using testing::random_ids;
using testing::tiny_model;

SequenceRequest request(std::vector<int32_t> prompt, int64_t max_tokens = 8, uint64_t seed = 1) {
  SequenceRequest made;
  made.prompt = std::move(prompt);
  made.max_tokens = max_tokens;
  made.seed = seed;
  return made;
}

/// What a request gives when it is alone.
RecordingSink alone(const std::shared_ptr<const model::LanguageModel>& model,
                    const SequenceRequest& what) {
  Engine engine(model);
  RecordingSink sink;
  engine.submit(what, sink);
  run(engine);
  EXPECT_EQ(sink.ends, 1);
  return sink;
}

/// Requests of every kind: prompts of 1 to 40 ids, options, seeds, scoring, ends.
std::vector<SequenceRequest> mixed_requests() {
  std::vector<SequenceRequest> requests;
  for (uint64_t i = 0; i < 12; ++i) {
    SequenceRequest made = request(random_ids(static_cast<int64_t>(1 + (i * 7) % 40), 61, i),
                                   static_cast<int64_t>(i % 5 * 4), i / 2);
    made.choice = i % 3;
    made.score_prompt = i % 2 == 0;
    if (i % 3 == 0) made.end = 7;
    if (i % 4 == 1) made.sampling.temperature = 0.0;
    if (i % 4 == 2) made.sampling.top_p = 0.8;
    if (i % 4 == 3) {
      made.sampling.top_k = 5;
      made.sampling.repetition_penalty = 1.3;
      made.sampling.frequency_penalty = 0.2;
    }
    requests.push_back(made);
  }
  return requests;
}

TEST(Engine, ResultsAloneEqualResultsBesideOthers) {
  const std::shared_ptr<const model::LanguageModel> model = tiny_model();
  const std::vector<SequenceRequest> requests = mixed_requests();
  const int threads = at::get_num_threads();
  for (const int count : {1, 2}) {
    at::set_num_threads(count);
    Engine engine(model);
    std::deque<RecordingSink> sinks(requests.size()), cancelled(requests.size());
    for (size_t i = 0; i < requests.size(); ++i) {
      // New sequences arrive while others are at work; some of those go again.
      engine.submit(requests[i], sinks[i]);
      const Engine::Ticket guest =
          engine.submit(request(random_ids(20, 61, 90 + i), 30), cancelled[i]);
      if (i % 2 == 0) engine.step();
      if (i % 3 != 0) engine.cancel(guest);
    }
    run(engine);
    for (size_t i = 0; i < requests.size(); ++i) {
      EXPECT_EQ(sinks[i].ends, 1);
      EXPECT_EQ(sinks[i].all(), alone(model, requests[i]).all()) << "request " << i;
    }
  }
  at::set_num_threads(threads);
}

TEST(Engine, ScoredPromptsHaveTheLogprobsOfTheirGeneration) {
  const std::shared_ptr<const model::LanguageModel> model = tiny_model();
  const std::vector<int32_t> prompt = random_ids(9, 61, 2);
  const RecordingSink generated = alone(model, request(prompt, 20));
  ASSERT_EQ(generated.ids.size(), 20u);

  SequenceRequest scoring = request(prompt, 0);
  scoring.prompt.insert(scoring.prompt.end(), generated.ids.begin(), generated.ids.end());
  scoring.score_prompt = true;
  const RecordingSink scored = alone(model, scoring);
  EXPECT_EQ(scored.prompt, scoring.prompt);
  EXPECT_EQ(scored.reason, FinishReason::length);
  EXPECT_TRUE(scored.ids.empty());
  const std::vector<double> tail(scored.prompt_logprobs.end() - 20, scored.prompt_logprobs.end());
  EXPECT_EQ(tail, generated.logprobs);
}

TEST(Engine, SeedsAndChoicesDecideWhatIsDrawn) {
  const std::shared_ptr<const model::LanguageModel> model = tiny_model();
  SequenceRequest what = request({1, 2, 3}, 20, 5);
  const RecordingSink first = alone(model, what);
  EXPECT_EQ(alone(model, what).all(), first.all());
  what.choice = 1;
  EXPECT_NE(alone(model, what).ids, first.ids);
  what.choice = 0;
  what.seed = 6;
  EXPECT_NE(alone(model, what).ids, first.ids);
}

TEST(Engine, ATokenIsDrawnFromItsAbsolutePosition) {
  const std::shared_ptr<const model::LanguageModel> model = tiny_model();
  const RecordingSink whole = alone(model, request({1, 2, 3}, 20, 5));
  SequenceRequest rest = request({1, 2, 3}, 13, 5);
  rest.prompt.insert(rest.prompt.end(), whole.ids.begin(), whole.ids.begin() + 7);
  EXPECT_EQ(alone(model, rest).ids, std::vector<int32_t>(whole.ids.begin() + 7, whole.ids.end()));
}

TEST(Engine, EndsWhereTheEndIdIsDrawn) {
  const std::shared_ptr<const model::LanguageModel> model = tiny_model();
  const RecordingSink free = alone(model, request({1, 2, 3}, 10));
  SequenceRequest what = request({1, 2, 3}, 10);
  what.end = free.ids[4];
  const RecordingSink ended = alone(model, what);
  const auto first = std::find(free.ids.begin(), free.ids.end(), *what.end);
  EXPECT_EQ(ended.ids, std::vector<int32_t>(free.ids.begin(), first + 1));
  EXPECT_EQ(ended.reason, FinishReason::end);
}

TEST(Engine, SinksCanStop) {
  const std::shared_ptr<const model::LanguageModel> model = tiny_model();
  Engine engine(model);
  RecordingSink sink;
  sink.after_token = [&] {
    return sink.ids.size() == 3 ? Continuation::stop : Continuation::go_on;
  };
  engine.submit(request({1}, 10), sink);
  run(engine);
  EXPECT_EQ(sink.ids.size(), 3u);
  EXPECT_EQ(sink.reason, FinishReason::stopped);
}

TEST(Engine, TheContextEndsGeneration) {
  const std::shared_ptr<const model::LanguageModel> model = tiny_model();  // context 48
  const auto drawn = [&](int64_t prompt, int64_t max_tokens) {
    const RecordingSink sink = alone(model, request(random_ids(prompt, 61, 1), max_tokens));
    EXPECT_EQ(sink.reason, FinishReason::length);
    return sink.ids.size();
  };
  EXPECT_EQ(drawn(40, 100), 9u);  // the last one from a full window
  EXPECT_EQ(drawn(40, 8), 8u);
  EXPECT_EQ(drawn(40, 3), 3u);
  EXPECT_EQ(drawn(47, 100), 2u);
  EXPECT_EQ(drawn(48, 100), 1u);
  EXPECT_EQ(drawn(48, 0), 0u);
}

TEST(Engine, ScoringAShortPromptNeedsNoModel) {
  const std::shared_ptr<const model::LanguageModel> model = tiny_model();
  SequenceRequest what = request({5}, 0);
  what.score_prompt = true;
  const RecordingSink sink = alone(model, what);
  EXPECT_EQ(sink.prompt, (std::vector<int32_t>{5}));
  EXPECT_TRUE(sink.prompt_logprobs.empty());
  EXPECT_EQ(sink.reason, FinishReason::length);
}

TEST(Engine, PromptsLongerThanOneTurnAreScoredWhole) {
  model::ModelConfig config = testing::tiny_config();
  config.context = 200;
  const std::shared_ptr<const model::LanguageModel> model = tiny_model(config);
  SequenceRequest what = request(random_ids(200, 61, 1), 1);
  what.score_prompt = true;
  const RecordingSink sink = alone(model, what);
  EXPECT_EQ(sink.prompt, what.prompt);
  EXPECT_EQ(sink.prompt_logprobs.size(), 199u);
  EXPECT_EQ(sink.ids.size(), 1u);
}

TEST(Engine, CancellingIsImmediateAndFinal) {
  Engine engine(tiny_model());
  RecordingSink kept, gone;
  engine.submit(request({1, 2}, 5), kept);
  const Engine::Ticket ticket = engine.submit(request({3}, 5), gone);
  engine.step();
  EXPECT_EQ(engine.active(), 2);
  engine.cancel(ticket);
  EXPECT_EQ(gone.reason, FinishReason::cancelled);
  EXPECT_EQ(engine.active(), 1);
  engine.cancel(ticket);
  engine.cancel(12345);
  run(engine);
  EXPECT_EQ(gone.ends, 1);
  EXPECT_EQ(gone.ids.size(), 1u);
  EXPECT_EQ(kept.ids.size(), 5u);
  EXPECT_EQ(engine.active(), 0);
  EXPECT_FALSE(engine.step());
}

TEST(Engine, SinksMayCancelThemselvesAndOthersAndSubmit) {
  const std::shared_ptr<const model::LanguageModel> model = tiny_model();
  Engine engine(model);
  RecordingSink first, second, third, late;
  Engine::Ticket tickets[3];
  second.after_token = [&] {
    engine.cancel(tickets[0]);  // had its turn in this step
    engine.cancel(tickets[1]);  // itself
    engine.cancel(tickets[2]);  // its turn would come next
    engine.submit(request({9}, 2), late);
    return Continuation::stop;
  };
  tickets[0] = engine.submit(request({1}, 5), first);
  tickets[1] = engine.submit(request({2}, 5), second);
  tickets[2] = engine.submit(request({3}, 5), third);
  run(engine);
  for (const RecordingSink* sink : {&first, &second, &third}) {
    EXPECT_EQ(sink->ends, 1);
    EXPECT_EQ(sink->reason, FinishReason::cancelled);
  }
  EXPECT_EQ(first.ids.size(), 1u);
  EXPECT_EQ(third.ids.size(), 0u);
  EXPECT_EQ(late.all(), alone(model, request({9}, 2)).all());
}

TEST(Engine, ManySubmissionsFromASinkAreSafe) {
  Engine engine(tiny_model());
  RecordingSink sink;
  std::deque<RecordingSink> more(50);
  sink.after_prompt_token = [&] {
    if (sink.prompt.size() > 1) return;
    for (RecordingSink& other : more) engine.submit(request({4}, 1), other);
  };
  SequenceRequest what = request({1, 2}, 1);
  what.score_prompt = true;
  engine.submit(what, sink);
  run(engine);
  for (const RecordingSink& other : more) EXPECT_EQ(other.ids, more.front().ids);
  EXPECT_EQ(more.back().ends, 1);
}

TEST(Engine, StepCannotBeCalledByASink) {
  Engine engine(tiny_model());
  RecordingSink sink;
  sink.after_token = [&] {
    engine.step();
    return Continuation::go_on;
  };
  engine.submit(request({1}, 2), sink);
  run(engine);
  EXPECT_NE(sink.error.find("called by a sink"), std::string::npos);
}

TEST(Engine, AThrowingSinkEndsOnlyItsOwnSequence) {
  const std::shared_ptr<const model::LanguageModel> model = tiny_model();
  Engine engine(model);
  RecordingSink fine, broken, odd;
  broken.after_token = [&]() -> Continuation { throw std::runtime_error("client is gone"); };
  odd.after_prompt_token = [&] { throw 7; };
  SequenceRequest scoring = request({1, 2}, 4);
  scoring.score_prompt = true;
  engine.submit(request({1}, 4), broken);
  engine.submit(scoring, odd);
  engine.submit(request({1}, 4), fine);
  run(engine);
  EXPECT_EQ(broken.error, "client is gone");
  EXPECT_EQ(broken.ends, 1);
  EXPECT_EQ(broken.ids.size(), 1u);
  EXPECT_FALSE(odd.error.empty());
  EXPECT_EQ(fine.all(), alone(model, request({1}, 4)).all());
}

/// A model that fails on one id.
class FailingModel : public model::LanguageModel {
 public:
  explicit FailingModel(std::shared_ptr<const model::LanguageModel> real)
      : real_(std::move(real)) {}

  const model::ModelConfig& config() const override { return real_->config(); }
  at::Tensor hidden(const at::Tensor&, const at::Tensor&) override {
    throw std::logic_error("not for inference");
  }
  at::Tensor unembedding() const override { return real_->unembedding(); }
  std::vector<std::pair<std::string, at::Tensor>> named_parameters() const override { return {}; }
  void to(at::Device, at::ScalarType) override {}
  void prepare_inference() override {}
  model::SequenceState new_sequence() const override { return real_->new_sequence(); }
  void advance(std::span<const model::RowSegment> segments, std::span<const int32_t> ids,
               std::span<float> hidden) const override {
    for (const int32_t id : ids) {
      if (id == 13) throw std::runtime_error("out of memory");
    }
    real_->advance(segments, ids, hidden);
  }
  void logits(std::span<const float> hidden, std::span<float> logits) const override {
    real_->logits(hidden, logits);
  }

 private:
  std::shared_ptr<const model::LanguageModel> real_;
};

TEST(Engine, AModelErrorEndsOnlyTheSequenceThatCausesIt) {
  const std::shared_ptr<const model::LanguageModel> model = tiny_model();
  Engine engine(std::make_shared<FailingModel>(model));
  RecordingSink before, failing, after;
  SequenceRequest greedy = request({1, 2}, 3);
  greedy.sampling.logit_bias[13] = -100.0;
  engine.submit(greedy, before);
  engine.submit(request({4, 13, 5}, 3), failing);
  engine.submit(greedy, after);
  run(engine);
  EXPECT_EQ(failing.error, "out of memory");
  EXPECT_EQ(failing.ends, 1);
  EXPECT_EQ(before.all(), alone(model, greedy).all());
  EXPECT_EQ(after.all(), before.all());
}

/// A model whose logits hold one broken number where the last id was 13.
class BrokenModel : public FailingModel {
 public:
  BrokenModel(std::shared_ptr<const model::LanguageModel> real, float broken)
      : FailingModel(real), real_(std::move(real)), broken_(broken) {}

  void advance(std::span<const model::RowSegment> segments, std::span<const int32_t> ids,
               std::span<float> hidden) const override {
    real_->advance(segments, ids, hidden);
    const size_t width = hidden.size() / ids.size();
    for (size_t row = 0; row < ids.size(); ++row) {
      if (ids[row] == 13) hidden[row * width] = std::numeric_limits<float>::quiet_NaN();
    }
  }
  void logits(std::span<const float> hidden, std::span<float> logits) const override {
    std::vector<float> whole(hidden.begin(), hidden.end());
    for (float& value : whole) value = std::isnan(value) ? 0.0F : value;
    real_->logits(whole, logits);
    const auto width = static_cast<size_t>(config().width);
    const auto vocabulary = static_cast<size_t>(config().vocabulary);
    for (size_t row = 0; row * width < hidden.size(); ++row) {
      if (std::isnan(hidden[row * width])) logits[row * vocabulary + 3] = broken_;
    }
  }

 private:
  std::shared_ptr<const model::LanguageModel> real_;
  float broken_;
};

TEST(Engine, BrokenLogitsEndOnlyTheirSequenceDrawnOrScored) {
  const std::shared_ptr<const model::LanguageModel> model = tiny_model();
  SequenceRequest greedy = request({1, 2}, 3);
  greedy.sampling.logit_bias[13] = -100.0;
  SequenceRequest scored = request({4, 13, 5}, 0);
  scored.score_prompt = true;
  for (const float broken :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    Engine engine(std::make_shared<BrokenModel>(model, broken));
    RecordingSink before, drawn, scoring, after;
    engine.submit(greedy, before);
    engine.submit(request({4, 13}, 3), drawn);
    engine.submit(scored, scoring);
    engine.submit(greedy, after);
    run(engine);
    for (const RecordingSink* sink : {&drawn, &scoring}) {
      EXPECT_NE(sink->error.find("at position 2 are not finite"), std::string::npos) << sink->error;
      EXPECT_EQ(sink->ends, 1);
    }
    EXPECT_EQ(before.all(), alone(model, greedy).all());
    EXPECT_EQ(after.all(), before.all());
  }
}

TEST(Engine, RefusesBadRequests) {
  Engine engine(tiny_model());
  RecordingSink sink;
  EXPECT_THROW(engine.submit(request({}), sink), std::invalid_argument);
  EXPECT_THROW(engine.submit(request({61}), sink), std::invalid_argument);
  EXPECT_THROW(engine.submit(request({-1}), sink), std::invalid_argument);
  EXPECT_THROW(engine.submit(request(random_ids(49, 61, 1)), sink), std::invalid_argument);
  EXPECT_THROW(engine.submit(request({1}, -1), sink), std::invalid_argument);
  SequenceRequest bad = request({1});
  bad.sampling.top_p = 2.0;
  EXPECT_THROW(engine.submit(bad, sink), std::invalid_argument);
  EXPECT_EQ(engine.active(), 0);
  EXPECT_EQ(sink.ends, 0);
}

}  // namespace
}  // namespace mesita::inference
