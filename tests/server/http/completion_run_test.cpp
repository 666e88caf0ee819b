#include "server/http/completion_run.h"

#include <gtest/gtest.h>

#include "server/http/api_error.h"
#include "tests/server/http/served_models.h"

namespace mesita::http {
namespace {

using std::chrono::milliseconds;

class CompletionRunTest : public ::testing::Test {
 protected:
  CompletionRunTest() : engine_(models(), 64) {}

  static std::vector<std::shared_ptr<const model::LanguageModel>> models() {
    std::vector<std::shared_ptr<const model::LanguageModel>> list;
    for (const ModelEntry& entry : testing::served_registry().entries()) {
      if (entry.loaded()) list.push_back(entry.model().model);
    }
    return list;
  }
  static const ModelEntry* model(const std::string& id) {
    return testing::served_registry().find(id);
  }
  static std::vector<ChoiceUpdate> finish(CompletionRun& run) {
    std::vector<ChoiceUpdate> all;
    for (int i = 0; i < 200 && !run.finished(); ++i) {
      for (ChoiceUpdate& update : run.take(milliseconds(100))) all.push_back(std::move(update));
    }
    EXPECT_TRUE(run.finished());
    return all;
  }

  EngineThread engine_;
};

TEST_F(CompletionRunTest, CountsAndFinishesAllChoicesOfAllModels) {
  CompletionRequest request;
  request.prompts = {Prompt("the table"), Prompt("Mia")};
  request.choices = 2;
  request.max_tokens = 5;
  CompletionRun run(engine_, {model("story"), model("sub/other")}, request, 1);
  EXPECT_EQ(run.choices(), 4);
  std::map<std::pair<size_t, int64_t>, int> last;
  for (const ChoiceUpdate& update : finish(run)) {
    EXPECT_EQ(update.error, "");
    if (update.delta.finish_reason) ++last[{update.part, update.choice}];
  }
  EXPECT_EQ(last.size(), 8u);
  EXPECT_GT(run.usage(0).prompt_tokens, 2);
  EXPECT_GT(run.usage(1).completion_tokens, 0);
}

TEST_F(CompletionRunTest, DestroyingItEndsTheWork) {
  const ModelEntry& model = testing::long_registry().default_model();
  EngineThread engine({model.model().model});
  CompletionRequest request;
  request.prompts = {Prompt("the table")};
  request.choices = 8;
  request.max_tokens = 65000;
  request.sampling.logit_bias = {{2, -100.0F}};  // never the end
  auto run = std::make_unique<CompletionRun>(engine, std::vector{&model}, request, 1);
  while (run->take(milliseconds(100)).empty()) {
  }
  EXPECT_EQ(engine.active(), 8);
  run.reset();
  EXPECT_TRUE(testing::soon([&] { return engine.active() == 0; }));
}

TEST_F(CompletionRunTest, StoppingIsAnErrorOfEveryOpenChoice) {
  CompletionRequest request;
  request.prompts = {Prompt("the table")};
  request.choices = 64;
  request.max_tokens = 60;
  CompletionRun run(engine_, {model("story")}, request, 1);
  engine_.stop();
  for (const ChoiceUpdate& update : finish(run)) {
    EXPECT_TRUE(update.error.empty() || update.error == kShuttingDown) << update.error;
  }
}

TEST_F(CompletionRunTest, RefusalsStartNothing) {
  CompletionRequest request;
  request.prompts = {Prompt("fine"), Prompt(std::vector<int32_t>{9999})};
  EXPECT_THROW(CompletionRun(engine_, {model("story")}, request, 1), ApiError);
  EXPECT_EQ(engine_.active(), 0);
}

TEST_F(CompletionRunTest, MoreThanIsAdmittedIsRefusedBeforeAnyOtherWork) {
  const auto refusal = [this](size_t prompts, int64_t choices) {
    CompletionRequest request;
    // Whoever looks at these finds something else to blame.
    request.prompts.assign(prompts, Prompt(std::vector<int32_t>{9999}));
    request.choices = choices;
    try {
      CompletionRun(engine_, {model("story"), model("sub/other")}, request, 1);
    } catch (const ApiError& error) {
      return error.param() + (std::string(error.what()).find("admits") != std::string::npos
                                  ? ": admits"
                                  : ": something else");
    }
    return std::string();
  };
  EXPECT_EQ(refusal(33, 1), "prompt: admits");
  EXPECT_EQ(refusal(8, 5), "n: admits");
  EXPECT_EQ(refusal(8, 4), "prompt: something else");
}

}  // namespace
}  // namespace mesita::http
