#include "server/http/scoring_run.h"

#include <gtest/gtest.h>

#include "server/http/api_error.h"
#include "tests/server/http/served_models.h"

namespace mesita::http {
namespace {

using std::chrono::milliseconds;

class ScoringRunTest : public ::testing::Test {
 protected:
  static const ModelEntry& story() {
    static const ModelRegistry registry =
        ModelRegistry::load(testing::served_folder() / "story", "");
    return registry.default_model();
  }
  static std::vector<ScoringTask> tasks(int texts) {
    std::vector<ScoringTask> list;
    for (int i = 0; i < texts; ++i) {
      list.push_back(
          {&story(), evaluation::prepare_text(story().model(), testing::tiny_text(20, i), {}), {}});
    }
    return list;
  }
};

TEST_F(ScoringRunTest, ScoresManyWindowsThroughAFewPlaces) {
  EngineThread engine({story().model().model}, 3);
  ScoringRun run(engine, tasks(6));
  while (run.advance(milliseconds(100))) EXPECT_LE(engine.active(), 3);
  const auto scores = run.scores();
  ASSERT_EQ(scores.size(), 6u);
  for (int i = 0; i < 6; ++i) {
    const auto direct = evaluation::score_text(story().model(), testing::tiny_text(20, i), {});
    EXPECT_EQ(scores[static_cast<size_t>(i)].sums.nats, direct.sums.nats);
  }
}

TEST_F(ScoringRunTest, NothingToScoreIsFinished) {
  EngineThread engine({story().model().model});
  ScoringRun run(engine, {});
  EXPECT_FALSE(run.advance(milliseconds(100)));
  EXPECT_TRUE(run.scores().empty());
}

TEST_F(ScoringRunTest, DestroyingItEndsTheWork) {
  const ModelEntry& model = testing::long_registry().default_model();
  EngineThread engine({model.model().model});
  std::vector<ScoringTask> list;
  for (int i = 0; i < 8; ++i) {
    const std::vector<int32_t> ids(60000, 5 + i);
    list.push_back({&model, evaluation::prepare_ids(model.model(), ids, {}), {}});
  }
  auto run = std::make_unique<ScoringRun>(engine, std::move(list));
  EXPECT_TRUE(run->advance(milliseconds(10)));
  EXPECT_EQ(engine.active(), 8);
  run.reset();
  EXPECT_TRUE(testing::soon([&] { return engine.active() == 0; }));
}

TEST_F(ScoringRunTest, AStoppedEngineIsAnError) {
  EngineThread engine({story().model().model});
  ScoringRun run(engine, tasks(50));
  engine.stop();
  EXPECT_THROW(while (run.advance(milliseconds(10))){}, ApiError);
}

}  // namespace
}  // namespace mesita::http
