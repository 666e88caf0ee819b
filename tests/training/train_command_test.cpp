#include "training/train_command.h"

#include <gtest/gtest.h>

namespace mesita::training {
namespace {

TEST(TrainCommand, ReadsConfigFieldsAndFolder) {
  const TrainCommand command = parse_train_command(
      {"run.json", "--model.width", "64", "--lr=-1e-3", "--out", "runs/x", "--json"});
  EXPECT_EQ(command.action, TrainCommand::Action::train);
  EXPECT_EQ(command.output, TrainCommand::Output::json);
  EXPECT_EQ(command.config, "run.json");
  EXPECT_EQ(command.out, "runs/x");
  ASSERT_EQ(command.overrides.size(), 2u);
  EXPECT_EQ(command.overrides[0].name, "model.width");
  EXPECT_EQ(command.overrides[0].value, "64");
  EXPECT_EQ(command.overrides[1].name, "lr");
  EXPECT_EQ(command.overrides[1].value, "-1e-3");
}

TEST(TrainCommand, NothingIsNeeded) {
  const TrainCommand command = parse_train_command({});
  EXPECT_TRUE(command.config.empty());
  EXPECT_TRUE(command.out.empty());
}

TEST(TrainCommand, ValuesMayLookLikeOptionsOrBeEmpty) {
  const TrainCommand command = parse_train_command({"--prompts=--x", "--data.description", ""});
  ASSERT_EQ(command.overrides.size(), 2u);
  EXPECT_EQ(command.overrides[0].value, "--x");
  EXPECT_EQ(command.overrides[1].value, "");
  EXPECT_EQ(parse_train_command({"--a=b=c"}).overrides[0].value, "b=c");
}

TEST(TrainCommand, ResumesARun) {
  const TrainCommand command = parse_train_command({"--resume", "--out", "runs/x"});
  EXPECT_EQ(command.begin, Begin::resume);
  EXPECT_EQ(command.out, "runs/x");
  EXPECT_EQ(parse_train_command({"--out", "x", "--resume=anyway"}).begin, Begin::resume_anyway);
  EXPECT_EQ(parse_train_command({}).begin, Begin::fresh);
}

TEST(TrainCommand, HelpAndVersion) {
  EXPECT_EQ(parse_train_command({"--help"}).action, TrainCommand::Action::help);
  EXPECT_EQ(parse_train_command({"-h"}).action, TrainCommand::Action::help);
  EXPECT_EQ(parse_train_command({"--version"}).action, TrainCommand::Action::version);
  EXPECT_NE(train_help().find("--optimizer.lr"), std::string::npos);
}

TEST(TrainCommand, RefusesWrongUsage) {
  const std::vector<std::vector<std::string>> wrong{{"a.json", "b.json"},
                                                    {"--lr"},
                                                    {"--out"},
                                                    {"--out", "a", "--out", "b"},
                                                    {"--out="},
                                                    {"-x"},
                                                    {"--json=true"},
                                                    {""},
                                                    {"--out", "--help"},
                                                    {"--resume"},
                                                    {"--resume", "--out", "x", "a.json"},
                                                    {"--resume", "--out", "x", "--lr", "1"},
                                                    {"--resume=yes", "--out", "x"}};
  for (const auto& words : wrong) EXPECT_THROW(parse_train_command(words), std::invalid_argument);
}

}  // namespace
}  // namespace mesita::training
