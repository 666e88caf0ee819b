#include "model/kernels/parallel.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace mesita::kernels {
namespace {

TEST(Parallel, EveryItemOnce) {
  for (const int64_t cost : {1, 1'000'000}) {
    for (const int64_t items : {0, 1, 2, 3, 100}) {
      std::vector<std::atomic<int>> visits(static_cast<size_t>(items));
      parallel(items, cost, [&](int64_t first, int64_t last) {
        for (int64_t i = first; i < last; ++i) ++visits[static_cast<size_t>(i)];
      });
      for (const auto& count : visits) EXPECT_EQ(count, 1);
    }
  }
}

TEST(Parallel, LittleWorkStaysOnTheCaller) {
  const std::thread::id caller = std::this_thread::get_id();
  int pieces = 0;
  parallel(1000, 10, [&](int64_t, int64_t) {
    ++pieces;
    EXPECT_EQ(std::this_thread::get_id(), caller);
  });
  EXPECT_EQ(pieces, 1);
}

TEST(Parallel, MuchWorkIsSharedOut) {
  const int threads = at::get_num_threads();
  at::set_num_threads(2);
  std::atomic<int> pieces = 0;
  parallel(1000, 1'000'000, [&](int64_t, int64_t) { ++pieces; });
  at::set_num_threads(threads);
  EXPECT_EQ(pieces, 2);
}

TEST(Parallel, ExceptionsReachTheCaller) {
  EXPECT_THROW(parallel(100, 1'000'000,
                        [](int64_t first, int64_t) {
                          if (first == 0) throw std::runtime_error("broken");
                        }),
               std::runtime_error);
}

}  // namespace
}  // namespace mesita::kernels
