#include "model/kernels/parallel_products.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <vector>

namespace mesita::kernels {
namespace {

TEST(ParallelProducts, AreTheSameBitsForAnyNumberOfThreads) {
  const int64_t count = 3, rows = 101, columns = 110, inner = 60;
  std::vector<float> left(static_cast<size_t>(count * rows * inner));
  std::vector<float> right(static_cast<size_t>(count * inner * columns));
  seeded_normal(3, 1, left);
  seeded_normal(3, 2, right);
  const auto run = [&](int threads, int64_t products) {
    const int before = at::get_num_threads();
    at::set_num_threads(threads);
    std::vector<float> result(static_cast<size_t>(products * rows * columns), 7.0f);
    std::vector<MatrixProduct> all;
    for (int64_t i = 0; i < products; ++i)
      all.push_back({.left = {left.data() + i * rows * inner, inner, 1},
                     .right = {right.data() + i * inner * columns, columns, 1},
                     .result = result.data() + i * rows * columns,
                     .result_stride = columns,
                     .rows = rows,
                     .columns = columns,
                     .inner = inner});
    multiply_all(all);
    at::set_num_threads(before);
    return result;
  };
  for (const int64_t products : {int64_t{1}, count}) {
    const std::vector<float> alone = run(1, products);
    EXPECT_NE(alone.back(), 7.0f);
    for (const int threads : {2, 3, 7}) EXPECT_EQ(run(threads, products), alone) << threads;
  }
  EXPECT_NO_THROW(multiply_all({}));
}

}  // namespace
}  // namespace mesita::kernels
