#include "training/training_run.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "model/checkpoint/training_state.h"
#include "model/initialization.h"
#include "tests/support/files.h"
#include "tests/support/message.h"
#include "tests/support/temporary_directory.h"
#include "training/step_flops.h"

namespace mesita::training {
namespace {

using testing::contains;
using testing::message_of;

// A few steps of a very small model.
RunConfig quick(std::vector<FieldOverride> more = {}) {
  std::vector<FieldOverride> fields{{"width", "16"},
                                    {"layers", "1"},
                                    {"heads", "2"},
                                    {"rows", "2"},
                                    {"steps", "6"},
                                    {"threads", "1"},
                                    {"log_interval", "2"},
                                    {"evaluation.interval", "3"},
                                    {"evaluation.tokens", "200"},
                                    {"samples.tokens", "4"},
                                    {"precision", "float32"},
                                    {"warmup_steps", "1"}};
  fields.insert(fields.end(), more.begin(), more.end());
  return resolve_run_config("", fields);
}

const auto kNever = [] { return false; };

class RunInFolder : public ::testing::Test {
 protected:
  RunResult run(const RunConfig& config, const std::string& name = "run",
                const std::function<bool()>& stop = kNever, Begin begin = Begin::fresh) {
    ProgressReporter reporter(stderr, ProgressReporter::Style::silent);
    return train(config, folder_ / name, begin, reporter, stop);
  }
  std::vector<nlohmann::json> metrics(const std::string& name = "run") {
    std::vector<nlohmann::json> lines;
    std::ifstream file(folder_ / name / "metrics.jsonl");
    for (std::string line; std::getline(file, line);) lines.push_back(nlohmann::json::parse(line));
    return lines;
  }
  checkpoint::Checkpoint stored(const std::string& which, const std::string& name = "run") {
    return checkpoint::load_checkpoint(folder_ / name / "checkpoints" / which);
  }

  testing::TemporaryDirectory folder_;
};

TEST_F(RunInFolder, WritesConfigMetricsAndCheckpoints) {
  const RunResult result = run(quick());
  EXPECT_EQ(result.end, RunEnd::steps);
  EXPECT_EQ(result.steps, 6);
  EXPECT_GT(result.tokens, 0);
  EXPECT_EQ(result.parameters, result.trained_parameters);

  std::vector<std::string> kinds;
  for (const auto& line : metrics()) kinds.push_back(line["kind"]);
  EXPECT_EQ(kinds, (std::vector<std::string>{"step", "step", "evaluation", "step", "step",
                                             "evaluation", "sample"}));
  EXPECT_EQ(metrics()[0]["step"], 2);
  EXPECT_EQ(metrics()[1]["step"], 3) << "what was not logged is logged before an evaluation";
  EXPECT_EQ(metrics().back()["step"], 6);
  EXPECT_EQ(metrics()[5]["tokens"], result.tokens);
  EXPECT_GT(metrics()[5]["entropy"], 0.0);

  const RunConfig read = resolve_run_config(testing::read_file(folder_ / "run/config.json"), {});
  EXPECT_GT(read.model.vocabulary, 0) << "the resolved config";
  const auto last = stored("last"), best = stored("best");
  EXPECT_EQ(last.config.model, read.model);
  EXPECT_EQ(last.config.document_start, 1);
  EXPECT_EQ(last.config.end, 2);
  EXPECT_EQ(last.config.seed, 1u);
  EXPECT_EQ(last.config.trained_on, "stories of mesita's toy grammar");
  EXPECT_TRUE(std::filesystem::exists(folder_ / "run/checkpoints/best/tokenizer/symbols.json"));
}

TEST_F(RunInFolder, CountsItsOperationsAndWhatTheMachineCouldDo) {
  const RunResult result = run(quick({{"accumulation", "2"}, {"trained", "embeddings"}}));
  const RunConfig read = resolve_run_config(testing::read_file(folder_ / "run/config.json"), {});
  EXPECT_EQ(result.step_flops,
            2 * step_flops(read.model, model::trained_roles("embeddings"), 2, read.row_context())
                    .total());
  EXPECT_GT(result.flops_utilisation, 0.0);
  EXPECT_GT(result.memory_bytes, 1 << 20);

  int64_t step = 0;
  double tokens = 0.0, peak = 0.0;
  for (const auto& line : metrics()) {
    if (line["kind"] != "step") continue;
    const double rate = line["flops_per_second"];
    const double seconds =
        (line["tokens"].get<double>() - tokens) / line["tokens_per_second"].get<double>();
    const auto flops =
        static_cast<double>((line["step"].get<int64_t>() - step) * result.step_flops);
    EXPECT_NEAR(rate * seconds / flops, 1.0, 1e-9) << line;
    const double machine = rate / line["flops_utilisation"].get<double>();
    if (peak == 0.0) peak = machine;
    EXPECT_NEAR(machine / peak, 1.0, 1e-9) << "measured once";
    EXPECT_GE(result.memory_bytes, line["memory_bytes"].get<int64_t>());
    step = line["step"];
    tokens = line["tokens"];
  }
  EXPECT_EQ(step, 6);
}

TEST_F(RunInFolder, TheSameSeedGivesTheSameBytes) {
  run(quick(), "a");
  run(quick(), "b");
  run(quick({{"seed", "2"}}), "c");
  const auto weights = [&](const std::string& name) {
    return testing::read_file(folder_ / name / "checkpoints/last/model.safetensors");
  };
  EXPECT_EQ(weights("a"), weights("b"));
  EXPECT_NE(weights("a"), weights("c"));
}

TEST_F(RunInFolder, FrozenTensorsStayBitIdentical) {
  const RunResult result = run(quick({{"trained", "embeddings"}}));
  EXPECT_LT(result.trained_parameters, result.parameters);
  const auto checkpoint = stored("last");
  EXPECT_EQ(checkpoint.form, checkpoint::Form::compact);
  EXPECT_FALSE(checkpoint.core.empty());
  EXPECT_EQ(checkpoint.frozen, result.frozen);
  const auto initial = model::initial_values(checkpoint.config.model, 1);
  for (const auto& spec : model::parameter_specs(checkpoint.config.model)) {
    const bool same = checkpoint.parameters.at(spec.name).values == initial.at(spec.name).values;
    EXPECT_EQ(same, model::is_interior(spec.role)) << spec.name;
  }
}

TEST_F(RunInFolder, FormsAndStorageAsAskedFor) {
  run(quick({{"trained", "embeddings"}, {"form", "full"}}), "full");
  EXPECT_EQ(stored("last", "full").form, checkpoint::Form::full);
  const RunResult result = run(quick({{"storage", "bf16"}}), "bf16");
  const auto checkpoint = stored("best", "bf16");
  EXPECT_EQ(checkpoint.config.storage, checkpoint::StorageType::bfloat16);
  // Evaluations during training are of the weights as they are stored, not of those that go on.
  EXPECT_DOUBLE_EQ(result.best.loss, result.last.loss);
  const RunResult unrounded = run(quick(), "float32");
  EXPECT_NEAR(result.last.loss, unrounded.last.loss, 0.01);
  EXPECT_NE(result.last.loss, unrounded.last.loss);
}

TEST_F(RunInFolder, InterruptedRunsAreSaved) {
  int steps = 0;
  const RunResult result = run(quick(), "run", [&] { return ++steps == 2; });
  EXPECT_EQ(result.end, RunEnd::interrupted);
  EXPECT_EQ(result.steps, 2);
  EXPECT_EQ(metrics().back()["kind"], "evaluation");
  EXPECT_NO_THROW(stored("last"));
  EXPECT_NO_THROW(stored("best"));
}

TEST_F(RunInFolder, SeveralSeedsAreRunsOfTheirOwn) {
  ProgressReporter reporter(stderr, ProgressReporter::Style::silent);
  const auto train_all = [&](const std::string& name, const std::string& seeds) {
    return train_seeds(quick({{"seeds", seeds}}), folder_ / name, Begin::fresh, reporter, kNever);
  };
  const std::vector<RunResult> results = train_all("all", "4,7");
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[1].seed, 7);
  const RunResult alone = run(quick({{"seed", "7"}}), "alone");
  EXPECT_NEAR(results[1].best.loss, alone.best.loss, 1e-3);
  EXPECT_EQ(results[1].tokens, alone.tokens);
  EXPECT_EQ(stored("last", "all/seed-7").config.seed, 7u);
  EXPECT_EQ(metrics("all/seed-7").size(), metrics("alone").size());
  const RunConfig config =
      resolve_run_config(testing::read_file(folder_ / "all/seed-7/config.json"), {});
  EXPECT_EQ(config.seed, 7);
  EXPECT_EQ(config.seeds, "");

  train_all("again", "4,7");
  for (const char* seed : {"seed-4", "seed-7"})
    EXPECT_EQ(testing::read_file(folder_ / "all" / seed / "checkpoints/last/model.safetensors"),
              testing::read_file(folder_ / "again" / seed / "checkpoints/last/model.safetensors"));
}

TEST_F(RunInFolder, StopsAtTheTargetLoss) {
  const RunResult result = run(quick({{"target_loss", "100"}}));
  EXPECT_EQ(result.end, RunEnd::target_loss);
  EXPECT_EQ(result.steps, 3);
}

TEST_F(RunInFolder, StopsWhenTheTimeIsUp) {
  const RunResult result = run(quick({{"steps", "0"}, {"minutes", "0.002"}}));
  EXPECT_EQ(result.end, RunEnd::time);
  EXPECT_GE(result.seconds, 0.12);
  EXPECT_GT(result.steps, 0);
}

TEST_F(RunInFolder, ALossThatIsNotFiniteEndsTheRunAndKeepsTheCheckpoints) {
  // The rate is absurd from the beginning; the first evaluation comes before it tells.
  const RunConfig config = quick({{"lr", "100"},
                                  {"clip", "0"},
                                  {"log_interval", "1"},
                                  {"evaluation.interval", "1"},
                                  {"weight_decay", "100"},
                                  {"steps", "400"},
                                  {"warmup_steps", "0"}});
  const std::string message = message_of<std::runtime_error>([&] { run(config); });
  EXPECT_TRUE(contains(message, "not finite")) << message;
  EXPECT_TRUE(contains(message, "step ")) << message;
  const auto checkpoint = stored("last");  // verified: all of its numbers are finite
  EXPECT_FALSE(checkpoint.parameters.empty());
}

TEST_F(RunInFolder, NeverWritesIntoAnotherRun) {
  run(quick());
  const std::string before = testing::read_file(folder_ / "run/metrics.jsonl");
  EXPECT_TRUE(contains(message_of([&] { run(quick()); }), "already holds a run"));
  EXPECT_EQ(testing::read_file(folder_ / "run/metrics.jsonl"), before);
}

TEST_F(RunInFolder, FailsBeforeItMakesTheFolder) {
  EXPECT_THROW(run(quick({{"prompts", "unheard-of"}})), std::invalid_argument);
  EXPECT_THROW(run(quick({{"vocabulary", "7"}})), std::invalid_argument);
  EXPECT_THROW(run(quick({{"context", "20"}})), std::invalid_argument);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "run"));
}

TEST_F(RunInFolder, SamplesDuringTraining) {
  run(quick({{"samples.interval", "2"}, {"prompts", R"(["", "once tom"])"}}));
  int samples = 0;
  for (const auto& line : metrics()) samples += line["kind"] == "sample" ? 1 : 0;
  EXPECT_EQ(samples, 6);
}

TEST_F(RunInFolder, AutomaticPrecisionIsDecidedByMeasuring) {
  const RunResult result = run(quick({{"precision", "auto"}, {"steps", "1"}}));
  EXPECT_TRUE(result.precision == "bf16" || result.precision == "float32");
}

// Stands for a process that dies: nothing after the exception is written.
struct Killed {};

// Dies after `steps` steps and goes on, again and again, until the run has ended.
std::function<bool()> killed_after(int64_t steps) {
  return [left = steps]() mutable {
    if (--left == 0) throw Killed{};
    return false;
  };
}

class ResumedRun : public RunInFolder {
 protected:
  RunConfig stored_config(const std::string& name) {
    return resolve_run_config(testing::read_file(folder_ / name / "config.json"), {});
  }
  // The lines of metrics.jsonl without what depends on the clock.
  std::vector<nlohmann::json> losses(const std::string& name) {
    std::vector<nlohmann::json> lines = metrics(name);
    for (nlohmann::json& line : lines) {
      for (const char* timing : {"seconds", "time", "tokens_per_second", "memory_bytes",
                                 "flops_per_second", "flops_utilisation"})
        line.erase(timing);
    }
    return lines;
  }
  void expect_same_bits(const std::vector<FieldOverride>& fields) {
    const RunConfig config = quick(fields);
    run(config, "whole");
    EXPECT_THROW(run(config, "killed", killed_after(2)), Killed);
    for (const int64_t steps : {2, 5, 3})
      EXPECT_THROW(run(stored_config("killed"), "killed", killed_after(steps), Begin::resume),
                   Killed);
    run(stored_config("killed"), "killed", kNever, Begin::resume);
    for (const char* which : {"last", "best"}) {
      const auto whole = stored(which, "whole"), killed = stored(which, "killed");
      ASSERT_EQ(whole.parameters.size(), killed.parameters.size());
      for (const auto& [name, array] : whole.parameters)
        EXPECT_EQ(array.values, killed.parameters.at(name).values) << which << " " << name;
    }
    const auto state = [&](const char* name) {
      return checkpoint::load_resumable(folder_ / name / "checkpoints" / "last")
          .training_state.tensors;
    };
    const auto whole = state("whole"), killed = state("killed");
    ASSERT_EQ(whole.size(), killed.size());
    for (const auto& [name, array] : whole) EXPECT_EQ(array.values, killed.at(name).values) << name;
    EXPECT_EQ(losses("whole"), losses("killed"));
  }
};

TEST_F(ResumedRun, EndsWithTheSameBits) {
  expect_same_bits({{"steps", "12"}, {"checkpoint.interval", "2"}, {"samples.interval", "4"}});
}

TEST_F(ResumedRun, EndsWithTheSameBitsThoughWeightsAreStoredRounded) {
  expect_same_bits({{"steps", "12"},
                    {"checkpoint.interval", "2"},
                    {"checkpoint.storage", "bf16"},
                    {"trained", "embeddings"}});
}

TEST_F(ResumedRun, OfSeveralSeedsEndsWithTheSameBits) {
  ProgressReporter reporter(stderr, ProgressReporter::Style::silent);
  const auto go = [&](const RunConfig& config, const std::string& name,
                      const std::function<bool()>& until, Begin begin) {
    return train_seeds(config, folder_ / name, begin, reporter, until);
  };
  const RunConfig config =
      quick({{"seeds", "1,8,2"}, {"steps", "12"}, {"checkpoint.interval", "2"}});
  go(config, "whole", kNever, Begin::fresh);
  EXPECT_THROW(go(config, "killed", killed_after(5), Begin::fresh), Killed);
  // Killed while the seeds' checkpoints were being replaced: all but the first seed's are new.
  const auto copy = [&](const std::string& from, const std::string& to) {
    std::filesystem::remove_all(folder_ / to);
    std::filesystem::copy(folder_ / from, folder_ / to, std::filesystem::copy_options::recursive);
  };
  copy("killed/seed-1/checkpoints/last", "older");
  EXPECT_THROW(go(stored_config("killed"), "killed", killed_after(4), Begin::resume), Killed);
  copy("older", "killed/seed-1/checkpoints/last");
  go(stored_config("killed"), "killed", kNever, Begin::resume);
  for (const char* seed : {"/seed-1", "/seed-8", "/seed-2"}) {
    for (const char* which : {"last", "best"}) {
      const auto whole = stored(which, std::string("whole") + seed);
      const auto killed = stored(which, std::string("killed") + seed);
      for (const auto& [name, array] : whole.parameters)
        EXPECT_EQ(array.values, killed.parameters.at(name).values) << seed << which << name;
    }
    EXPECT_EQ(losses(std::string("whole") + seed), losses(std::string("killed") + seed));
  }
}

TEST_F(ResumedRun, OfAFinishedRunChangesNothing) {
  run(quick());
  const auto before = losses("run");
  const RunResult again = run(stored_config("run"), "run", kNever, Begin::resume);
  EXPECT_EQ(again.steps, 6);
  EXPECT_EQ(losses("run"), before);
}

TEST_F(ResumedRun, RefusesAnEditedConfigUnlessAsked) {
  EXPECT_THROW(run(quick({{"checkpoint.interval", "2"}}), "run", killed_after(3)), Killed);
  RunConfig edited = stored_config("run");
  edited.optimizer.lr *= 2;
  const std::string message = message_of([&] { run(edited, "run", kNever, Begin::resume); });
  EXPECT_TRUE(contains(message, "config.json")) << message;
  EXPECT_TRUE(contains(message, "--resume=anyway")) << message;
  EXPECT_EQ(run(edited, "run", kNever, Begin::resume_anyway).steps, 6);
}

TEST_F(ResumedRun, BeginsAnewWhereNothingWasSaved) {
  EXPECT_THROW(run(quick(), "run", killed_after(1)), Killed);
  EXPECT_EQ(run(stored_config("run"), "run", kNever, Begin::resume).steps, 6);
  run(quick(), "whole");
  EXPECT_EQ(losses("run"), losses("whole"));
}

TEST_F(RunInFolder, RecordsWhatAutoMeant) {
  run(quick({{"precision", "auto"}, {"device", "auto"}}));
  const auto config = nlohmann::json::parse(testing::read_file(folder_ / "run" / "config.json"));
  EXPECT_NE(config["precision"], "auto");
  EXPECT_NE(config["device"], "auto");
}

}  // namespace
}  // namespace mesita::training
