#include "server/http/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <vector>

namespace mesita::http {
namespace {

TEST(ThreadPool, RunsAllTasksAndJoins) {
  std::atomic<int> done{0};
  {
    ThreadPool pool(4, 1000);
    for (int i = 0; i < 500; ++i) ASSERT_TRUE(pool.enqueue([&] { ++done; }));
    pool.shutdown();
    EXPECT_FALSE(pool.enqueue([] {}));
  }
  EXPECT_EQ(done, 500);
}

TEST(ThreadPool, MakesAThreadForEveryTaskThatBlocks) {
  constexpr int kTasks = 20;
  std::promise<void> open;
  const std::shared_future<void> gate = open.get_future().share();
  std::atomic<int> inside{0};
  std::promise<void> all;
  ThreadPool pool(kTasks, 0);
  for (int i = 0; i < kTasks; ++i) {
    ASSERT_TRUE(pool.enqueue([&] {
      if (++inside == kTasks) all.set_value();
      gate.wait();
    }));
  }
  all.get_future().wait();  // all at once, or this never ends
  EXPECT_FALSE(pool.enqueue([] {})) << "no thread and no queue left";
  open.set_value();
}

TEST(ThreadPool, QueuesAtMostSoMany) {
  std::promise<void> open, started;
  ThreadPool pool(1, 2);
  ASSERT_TRUE(pool.enqueue([&] {
    started.set_value();
    open.get_future().wait();
  }));
  started.get_future().wait();
  EXPECT_EQ(pool.waiting(), 0u);
  EXPECT_TRUE(pool.enqueue([] {}));
  EXPECT_TRUE(pool.enqueue([] {}));
  EXPECT_EQ(pool.waiting(), 2u);
  EXPECT_FALSE(pool.enqueue([] {}));
  open.set_value();
}

}  // namespace
}  // namespace mesita::http
