#include "training/trainer.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/temporary_directory.h"

namespace mesita::training {
namespace {

// The known answer: no model can do better than the grammar's entropy, a trained one comes within
// 2 %.
TEST(Trainer, LearnsTheGrammarToItsEntropy) {
  const testing::TemporaryDirectory folder;
  // One thread: at this size a second one gains little, and loses much on a busy machine.
  const RunConfig config =
      resolve_run_config("", {{"threads", "1"}, {"precision", "float32"}, {"log_interval", "100"}});
  ProgressReporter reporter(stderr, ProgressReporter::Style::silent);
  const RunResult result =
      train(config, folder / "run", Begin::fresh, reporter, [] { return false; });
  ASSERT_TRUE(result.best.exact_loss.has_value());
  EXPECT_LT(result.best.loss, 1.02 * *result.best.exact_loss);
  // Less than the truth's own surprise would mean that something leaks.
  EXPECT_GT(result.best.loss, 0.999 * *result.best.exact_loss);
  EXPECT_LT(result.best.loss, 1.02 * *result.best.entropy);
}

RunResult some_result() {
  RunResult result;
  result.end = RunEnd::interrupted;
  result.steps = 7;
  result.tokens = 700;
  result.parameters = 10;
  result.trained_parameters = 4;
  result.precision = "bf16";
  result.best.step = 5;
  result.best.loss = 1.02;
  result.best.exact_loss = 1.0;
  return result;
}

TEST(RunResult, IsOneJsonDocument) {
  const auto json = nlohmann::json::parse(to_json(some_result(), "runs/x"));
  EXPECT_EQ(json["run"], "runs/x");
  EXPECT_EQ(json["end"], "interrupted");
  EXPECT_EQ(json["steps"], 7);
  EXPECT_EQ(json["best"]["loss"], 1.02);
  EXPECT_EQ(json["best"]["exact_loss"], 1.0);
  EXPECT_FALSE(json["best"].contains("bits_per_byte"));
}

TEST(RunResult, IsReadable) {
  RunResult result = some_result();
  const std::string text = to_text(result, "runs/x");
  EXPECT_NE(text.find("end: interrupted"), std::string::npos) << text;
  EXPECT_NE(text.find("+2.00 %"), std::string::npos) << text;
  EXPECT_NE(text.find("runs/x/checkpoints/best"), std::string::npos) << text;
  result.best.bits_per_byte = 0.9;
  EXPECT_NE(to_text(result, "runs/x").find("0.9000 bits per byte"), std::string::npos);
}

TEST(RunEnd, HasNames) {
  EXPECT_EQ(name_of(RunEnd::steps), "steps");
  EXPECT_EQ(name_of(RunEnd::time), "time");
  EXPECT_EQ(name_of(RunEnd::target_loss), "target_loss");
}

}  // namespace
}  // namespace mesita::training
