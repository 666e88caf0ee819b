#include "training/worker_team.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace mesita::training {
namespace {

TEST(WorkerTeam, DoesEachItemOnceAgainAndAgain) {
  WorkerTeam team(3);
  for (const int64_t items : {0, 1, 2, 3, 100}) {
    std::vector<std::atomic<int>> visits(static_cast<size_t>(items));
    team.run(items, [&](int64_t item) { ++visits[static_cast<size_t>(item)]; });
    for (const auto& count : visits) EXPECT_EQ(count, 1);
  }
}

TEST(WorkerTeam, ItsThreadsDoNotShareTheirOperationsOut) {
  const int threads = at::get_num_threads();
  at::set_num_threads(2);
  {
    WorkerTeam team(2);
    std::atomic<int> alone = 0;
    team.run(4, [&](int64_t) { alone += at::get_num_threads() == 1 ? 1 : 0; });
    EXPECT_EQ(alone, 4);
  }
  EXPECT_EQ(at::get_num_threads(), 2) << "the caller's own stay";
  at::set_num_threads(threads);
}

TEST(WorkerTeam, AnExceptionReachesTheCallerWhenAllIsDone) {
  WorkerTeam team(2);
  std::atomic<int> done = 0;
  EXPECT_THROW(team.run(10,
                        [&](int64_t item) {
                          ++done;
                          if (item == 3) throw std::runtime_error("broken");
                        }),
               std::runtime_error);
  EXPECT_EQ(done, 10);
  EXPECT_NO_THROW(team.run(1, [](int64_t) {}));
}

}  // namespace
}  // namespace mesita::training
