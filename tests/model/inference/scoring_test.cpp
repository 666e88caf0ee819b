#include "model/inference/scoring.h"

#include <ATen/ops/log_softmax.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/model/inference/recording_sink.h"
#include "tests/support/tiny_model.h"

namespace mesita::inference {
namespace {

using testing::random_ids;
using testing::tiny_model;

TEST(Scoring, EqualsTheForwardPass) {
  const auto model = tiny_model();
  const std::vector<int32_t> ids = random_ids(48, 61, 3);  // the whole context
  const at::Tensor batch = at::tensor(std::vector<int64_t>(ids.begin(), ids.end())).unsqueeze(0);
  const at::Tensor expected = at::log_softmax(model->forward(batch).to(at::kDouble), -1)[0];
  const std::vector<double> logprobs = score(*model, ids);
  ASSERT_EQ(logprobs.size(), 47u);
  for (size_t i = 0; i < logprobs.size(); ++i) {
    EXPECT_NEAR(logprobs[i], expected[static_cast<int64_t>(i)][ids[i + 1]].item<double>(), 1e-4);
  }
}

TEST(Scoring, HasTheBitsThatACompletionReports) {
  const std::shared_ptr<model::LanguageModel> model = tiny_model();
  Engine engine(model);
  RecordingSink sink;
  SequenceRequest request;
  request.prompt = {3, 1, 4};
  request.max_tokens = 30;
  request.score_prompt = true;
  engine.submit(request, sink);
  run(engine);
  std::vector<int32_t> ids = request.prompt;
  ids.insert(ids.end(), sink.ids.begin(), sink.ids.end());
  std::vector<double> reported = sink.prompt_logprobs;
  reported.insert(reported.end(), sink.logprobs.begin(), sink.logprobs.end());
  EXPECT_EQ(score(*model, ids), reported);
}

TEST(Scoring, OneIdHasNothingToScore) {
  EXPECT_TRUE(score(*tiny_model(), std::vector<int32_t>{5}).empty());
}

TEST(Scoring, RefusesWhatTheModelCannotRead) {
  const auto model = tiny_model();
  EXPECT_THROW(score(*model, {}), std::invalid_argument);
  EXPECT_THROW(score(*model, std::vector<int32_t>{1, 61}), std::invalid_argument);
  EXPECT_THROW(score(*model, random_ids(49, 61, 1)), std::invalid_argument);
}

}  // namespace
}  // namespace mesita::inference
