#include "training/stop_signal.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace mesita::training {
namespace {

TEST(StopSignal, TheFirstSignalAsks) {
  for (const int number : {SIGINT, SIGTERM}) {
    const StopSignal signal;
    EXPECT_FALSE(signal.requested());
    std::raise(number);
    EXPECT_TRUE(signal.requested());
  }
}

TEST(StopSignal, TheSecondSignalEndsTheProcess) {
  const pid_t child = fork();
  if (child == 0) {
    const StopSignal signal;
    std::raise(SIGINT);
    std::raise(SIGTERM);
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 128 + SIGTERM);
}

TEST(StopSignal, RestoresWhatWasThere) {
  static volatile std::sig_atomic_t seen = 0;
  std::signal(SIGINT, [](int) { seen = 1; });
  { const StopSignal signal; }
  std::raise(SIGINT);
  EXPECT_EQ(seen, 1);
  std::signal(SIGINT, SIG_DFL);
}

}  // namespace
}  // namespace mesita::training
