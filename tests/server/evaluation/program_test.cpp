#include "server/evaluation/program.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace mesita::evaluation {
namespace {

struct Outcome {
  int status = 0;
  std::string out, err;
};

Outcome run(
    std::vector<const char*> arguments, const std::function<void()>& body = [] {}) {
  Program program("mesita-test", "A program.");
  arguments.insert(arguments.begin(), "mesita-test");
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  Outcome outcome;
  outcome.status = program.run(static_cast<int>(arguments.size()), arguments.data(), body);
  outcome.out = ::testing::internal::GetCapturedStdout();
  outcome.err = ::testing::internal::GetCapturedStderr();
  return outcome;
}

TEST(Program, ExitStatuses) {
  EXPECT_EQ(run({}).status, 0);
  EXPECT_EQ(run({"--no-such-flag"}).status, 2);
  EXPECT_EQ(run({"unexpected"}).status, 2);
  const Outcome usage = run({}, [] { throw std::invalid_argument("stride is 0"); });
  EXPECT_EQ(usage.status, 2);
  EXPECT_EQ(usage.err, "mesita-test: stride is 0\n");
  const Outcome failed = run({}, [] { throw std::runtime_error("the disk is full"); });
  EXPECT_EQ(failed.status, 1);
  EXPECT_EQ(failed.err, "mesita-test: the disk is full\n");
  EXPECT_EQ(failed.out, "");
}

TEST(Program, AnUnknownOptionIsNamedBeforeAMissingOne) {
  Program program("mesita-test", "A program.");
  std::string model;
  program.flags().add_option("--model", model, "needed")->required();
  const char* arguments[] = {"mesita-test", "--modle", "M"};
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(program.run(3, arguments, [] {}), 2);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("--modle"), std::string::npos);
}

TEST(Checks, NumbersAreReadWholeAndInTheirRange) {
  const CLI::Validator count = whole_number(1, 128);
  for (std::string good : {"1", "77", "128"}) EXPECT_EQ(count(good), "") << good;
  for (std::string bad :
       {"", "0", "129", "-1", "1.5", "1e2", "3 ", "two", "99999999999999999999"}) {
    EXPECT_EQ(count(bad), "'" + bad + "' is not a whole number from 1 to 128");
  }
  const CLI::Validator share = number(0.0, 1.0);
  for (std::string good : {"0", "1", "0.25", "1e-3"}) EXPECT_EQ(share(good), "") << good;
  for (std::string bad : {"", "nan", "inf", "-0.1", "1.01", "0,5"})
    EXPECT_NE(share(bad), "") << bad;
  const CLI::Validator seed = random_seed();
  for (std::string good : {"0", "18446744073709551615"}) EXPECT_EQ(seed(good), "") << good;
  for (std::string bad : {"-1", "18446744073709551616", "1.0"}) EXPECT_NE(seed(bad), "") << bad;
}

TEST(Program, VersionNamesEverything) {
  bool called = false;
  const Outcome version = run({"--version"}, [&called] { called = true; });
  EXPECT_EQ(version.status, 0);
  EXPECT_FALSE(called);
  for (const char* part : {"mesita-test 0.", "LibTorch 2.", "kernels ", "checkpoint format 1"}) {
    EXPECT_NE(version.out.find(part), std::string::npos) << version.out;
  }
}

TEST(Program, ThreadsAreSet) {
  const int before = at::get_num_threads();
  int seen = 0;
  EXPECT_EQ(run({"--threads", "3"}, [&seen] { seen = at::get_num_threads(); }).status, 0);
  EXPECT_EQ(seen, 3);
  for (const char* wrong : {"0", "-1", "many", "100000", "1.5"}) {
    EXPECT_EQ(run({"--threads", wrong}).status, 2) << wrong;
  }
  at::set_num_threads(before);
}

TEST(Program, DevicesThatThereAre) {
  EXPECT_EQ(run({"--device", "auto"}).status, 0);
  EXPECT_EQ(run({"--device", "cpu"}).status, 0);
  const Outcome cuda = run({"--device", "cuda:0"});
  EXPECT_EQ(cuda.status, 2);
  EXPECT_NE(cuda.err.find("on the CPU"), std::string::npos) << cuda.err;
  EXPECT_EQ(run({"--device", "gpu"}).status, 2);
}

}  // namespace
}  // namespace mesita::evaluation
