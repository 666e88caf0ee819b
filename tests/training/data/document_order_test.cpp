#include "training/data/document_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <vector>

namespace mesita::training {
namespace {

std::vector<int64_t> all_of(const DocumentOrder& order, int64_t count) {
  std::vector<int64_t> numbers;
  for (int64_t i = 0; i < count; ++i) numbers.push_back(order.at(i));
  return numbers;
}

TEST(DocumentOrder, HasEveryNumberOnce) {
  for (int64_t count = 1; count <= 300; ++count) {
    auto numbers = all_of(DocumentOrder(7, "all", count % 5, count), count);
    std::sort(numbers.begin(), numbers.end());
    for (int64_t i = 0; i < count; ++i) ASSERT_EQ(numbers[static_cast<size_t>(i)], i) << count;
  }
}

TEST(DocumentOrder, HasNoNumberTwiceInALargeSet) {
  for (const int64_t count : {int64_t{1} << 40, std::numeric_limits<int64_t>::max()}) {
    const DocumentOrder order(7, "all", 1, count);
    std::set<int64_t> seen;
    for (int64_t i = 0; i < 20000; ++i) {
      const int64_t number = order.at(count - 1 - i);
      ASSERT_GE(number, 0);
      ASSERT_LT(number, count);
      ASSERT_TRUE(seen.insert(number).second) << i;
    }
    EXPECT_GT(*seen.rbegin() - *seen.begin(), count / 10 * 9);  // not a run of neighbours
  }
}

TEST(DocumentOrder, DependsOnSeedSetAndEpoch) {
  const auto order = all_of(DocumentOrder(7, "all", 0, 50), 50);
  EXPECT_EQ(all_of(DocumentOrder(7, "all", 0, 50), 50), order);
  EXPECT_NE(all_of(DocumentOrder(8, "all", 0, 50), 50), order);
  EXPECT_NE(all_of(DocumentOrder(7 + (uint64_t{1} << 32), "all", 0, 50), 50), order);
  EXPECT_NE(all_of(DocumentOrder(7, "some", 0, 50), 50), order);
  EXPECT_NE(all_of(DocumentOrder(7, "all", 1, 50), 50), order);
}

double chi_square(const std::vector<int64_t>& counts, double expected) {
  double sum = 0;
  for (const int64_t count : counts) {
    const double off = static_cast<double>(count) - expected;
    sum += off * off / expected;
  }
  return sum;
}

// Bounds: mean of chi-square plus five standard deviations; the seeds are fixed.
TEST(DocumentOrder, TakesAllOrdersOfAFewEquallyOften) {
  for (const auto& [count, orders] :
       std::map<int64_t, int64_t>{{2, 2}, {3, 6}, {4, 24}, {5, 120}}) {
    std::map<std::vector<int64_t>, int64_t> seen;
    const int64_t trials = 200 * orders;
    for (int64_t e = 0; e < trials; ++e) ++seen[all_of(DocumentOrder(3, "all", e, count), count)];
    ASSERT_EQ(static_cast<int64_t>(seen.size()), orders) << count;
    std::vector<int64_t> counts;
    for (const auto& [order, times] : seen) counts.push_back(times);
    const auto degrees = static_cast<double>(orders - 1);
    EXPECT_LT(chi_square(counts, 200), degrees + 5 * std::sqrt(2 * degrees)) << count;
  }
}

TEST(DocumentOrder, PutsEveryNumberEverywhereEquallyOften) {
  constexpr int64_t kCount = 30, kEpochs = 3000;  // 5 x 6 cells, all used
  std::vector<int64_t> counts(kCount * kCount, 0);
  for (int64_t e = 0; e < kEpochs; ++e) {
    const DocumentOrder order(5, "all", e, kCount);
    for (int64_t i = 0; i < kCount; ++i) ++counts[static_cast<size_t>(i * kCount + order.at(i))];
  }
  const double degrees = (kCount - 1) * (kCount - 1);
  EXPECT_LT(chi_square(counts, kEpochs / kCount), degrees + 5 * std::sqrt(2 * degrees));
}

TEST(DocumentOrder, StaysTheSameForEver) {
  EXPECT_EQ(all_of(DocumentOrder(1, "all", 0, 10), 10),
            (std::vector<int64_t>{6, 1, 2, 4, 0, 3, 7, 9, 5, 8}));
  const DocumentOrder large(2, "stories", 3, int64_t{1} << 40);
  EXPECT_EQ(large.at(0), 17098895584);
  EXPECT_EQ(large.at(123456789), 754934378072);
}

TEST(DocumentOrder, RefusesWhatIsNoOrder) {
  EXPECT_THROW(DocumentOrder(1, "all", 0, 0), std::invalid_argument);
  EXPECT_THROW(DocumentOrder(1, "all", 0, -1), std::invalid_argument);
  EXPECT_THROW(DocumentOrder(1, "all", -1, 5), std::invalid_argument);
  EXPECT_THROW(DocumentOrder(1, "all", 0, 5).at(5), std::out_of_range);
  EXPECT_THROW(DocumentOrder(1, "all", 0, 5).at(-1), std::out_of_range);
}

}  // namespace
}  // namespace mesita::training
