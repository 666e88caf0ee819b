#include "training/metrics_log.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "tests/support/temporary_directory.h"

namespace mesita::training {
namespace {

std::vector<nlohmann::json> lines_of(const std::filesystem::path& file) {
  std::vector<nlohmann::json> lines;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

TEST(MetricsLog, WritesWholeLinesAtOnce) {
  const testing::TemporaryDirectory folder;
  MetricsLog log(folder / "metrics.jsonl", folder / "events");
  log.write(StepMetrics{.step = 10,
                        .tokens = 1000,
                        .loss = 1.5,
                        .lr = 0.1,
                        .grad_norm = 2.0,
                        .tokens_per_second = 50.0,
                        .flops_per_second = 4e9,
                        .flops_utilisation = 0.25,
                        .memory_bytes = 1024,
                        .seconds = 20.0});
  auto lines = lines_of(folder / "metrics.jsonl");  // while the log is open
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_GT(lines[0]["time"], 1.7e9);  // Unix seconds, after 2023
  lines[0].erase("time");
  EXPECT_EQ(lines[0], nlohmann::json::parse(R"({"kind":"step","step":10,"tokens":1000,"loss":1.5,
      "lr":0.1,"grad_norm":2.0,"tokens_per_second":50.0,
      "flops_per_second":4e9,"flops_utilisation":0.25,"memory_bytes":1024,"seconds":20.0})"));

  EvaluationMetrics evaluation;
  evaluation.step = 10;
  evaluation.loss = 1.25;
  log.write(evaluation);
  evaluation.bits_per_byte = 0.9;
  evaluation.exact_loss = 1.0;
  evaluation.entropy = 1.1;
  log.write(evaluation);
  log.write_sample(10, "once", "a \"text\"\n\xff");
  lines = lines_of(folder / "metrics.jsonl");
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_FALSE(lines[1].contains("bits_per_byte"));
  EXPECT_FALSE(lines[1].contains("entropy"));
  EXPECT_EQ(lines[2]["bits_per_byte"], 0.9);
  EXPECT_EQ(lines[2]["exact_loss"], 1.0);
  EXPECT_EQ(lines[2]["entropy"], 1.1);
  EXPECT_EQ(lines[3]["text"], "a \"text\"\n\xEF\xBF\xBD");
}

TEST(MetricsLog, NumbersThatAreNotFiniteBecomeNull) {
  const testing::TemporaryDirectory folder;
  MetricsLog log(folder / "metrics.jsonl", folder / "events");
  StepMetrics metrics;
  metrics.loss = std::numeric_limits<double>::quiet_NaN();
  log.write(metrics);
  EXPECT_TRUE(lines_of(folder / "metrics.jsonl")[0]["loss"].is_null());
}

TEST(MetricsLog, GoesOnBehindWhatIsKept) {
  const testing::TemporaryDirectory folder;
  const auto file = folder / "metrics.jsonl";
  int64_t kept = 0;
  {
    MetricsLog log(file, folder / "events");
    log.write_skipped(1, "first");
    kept = log.size();
    log.write_skipped(2, "cut off");
    EXPECT_EQ(static_cast<uintmax_t>(log.size()), std::filesystem::file_size(file));
  }
  MetricsLog log(file, folder / "events", kept);
  EXPECT_EQ(log.size(), kept);
  log.write_skipped(3, "second");
  log.sync();
  const auto lines = lines_of(file);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0]["step"], 1);
  EXPECT_EQ(lines[1]["reason"], "second");
  EXPECT_EQ(lines[1]["kind"], "skipped");
}

TEST(MetricsLog, RefusesAFileThatLostLines) {
  const testing::TemporaryDirectory folder;
  EXPECT_THROW(MetricsLog(folder / "metrics.jsonl", folder / "events", 10), std::runtime_error);
  MetricsLog(folder / "metrics.jsonl", folder / "events").write_skipped(1, "x");
  EXPECT_THROW(MetricsLog(folder / "metrics.jsonl", folder / "events", 1000), std::runtime_error);
}

TEST(MetricsLog, SaysWhenTheFileCannotBeMade) {
  EXPECT_THROW(MetricsLog("/nowhere/metrics.jsonl", "/nowhere/events"), std::runtime_error);
}

TEST(MetricsLog, SaysWhenTheDiskIsFull) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const testing::TemporaryDirectory folder;
  MetricsLog log("/dev/full", folder / "events");
  EXPECT_THROW(log.write(StepMetrics{}), std::runtime_error);
}

}  // namespace
}  // namespace mesita::training
