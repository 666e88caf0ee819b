#include "model/inference/sequence.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/model/inference/recording_sink.h"

namespace mesita::inference {
namespace {

/// Engine::Sequence is the engine's own; what it decides is seen through a model that counts rows.
class CountingModel : public model::LanguageModel {
 public:
  CountingModel() {
    config_.vocabulary = 4;
    config_.context = 1000;
    config_.width = 2;
    config_.heads = 1;
  }
  const model::ModelConfig& config() const override { return config_; }
  at::Tensor hidden(const at::Tensor&, const at::Tensor&) override { return {}; }
  at::Tensor unembedding() const override { return {}; }
  std::vector<std::pair<std::string, at::Tensor>> named_parameters() const override { return {}; }
  void to(at::Device, at::ScalarType) override {}
  void prepare_inference() override {}
  model::SequenceState new_sequence() const override { return {}; }
  void advance(std::span<const model::RowSegment> segments, std::span<const int32_t> ids,
               std::span<float>) const override {
    for (const model::RowSegment& segment : segments) segment.sequence->length += segment.rows;
    rows.push_back(ids.size());
  }
  void logits(std::span<const float> hidden, std::span<float> logits) const override {
    predictions.push_back(hidden.size() / 2);
    std::fill(logits.begin(), logits.end(), 0.0f);
  }

  mutable std::vector<size_t> rows, predictions;  // of each call

 private:
  model::ModelConfig config_;
};

void run_request(const std::shared_ptr<CountingModel>& model, int64_t prompt, int64_t max_tokens,
                 bool score) {
  Engine engine(model);
  RecordingSink sink;
  SequenceRequest request;
  request.prompt.assign(static_cast<size_t>(prompt), 1);
  request.max_tokens = max_tokens;
  request.score_prompt = score;
  engine.submit(request, sink);
  run(engine);
  EXPECT_EQ(sink.reason, FinishReason::length);
}

TEST(Sequence, PromptsAreReadInPiecesAndPredictOnlyWhatIsDrawn) {
  const auto model = std::make_shared<CountingModel>();
  run_request(model, 150, 3, false);
  EXPECT_EQ(model->rows, (std::vector<size_t>{64, 64, 22, 1, 1}));
  EXPECT_EQ(model->predictions, (std::vector<size_t>{1, 1, 1}));
}

TEST(Sequence, ScoringNeedsNoRowForTheLastToken) {
  const auto model = std::make_shared<CountingModel>();
  run_request(model, 65, 0, true);
  EXPECT_EQ(model->rows, (std::vector<size_t>{64}));
  EXPECT_EQ(model->predictions, (std::vector<size_t>{64}));
}

TEST(Sequence, NothingAskedNothingComputed) {
  const auto model = std::make_shared<CountingModel>();
  run_request(model, 100, 0, false);
  EXPECT_TRUE(model->rows.empty());
}

}  // namespace
}  // namespace mesita::inference
