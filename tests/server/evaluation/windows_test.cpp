#include "server/evaluation/windows.h"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

namespace mesita::evaluation {
namespace {

using Table = std::vector<std::array<int64_t, 3>>;

Table table(int64_t length, int64_t context, int64_t stride) {
  Table rows;
  for (const WindowSpan& span : plan_windows(length, context, stride)) {
    rows.push_back({span.begin, span.end, span.first_scored});
  }
  return rows;
}

TEST(Windows, HandComputedTables) {
  // What fits is one window.
  EXPECT_EQ(table(2, 4, 2), (Table{{0, 2, 1}}));
  EXPECT_EQ(table(4, 4, 2), (Table{{0, 4, 1}}));
  // One id more: the second window starts at the stride and is short.
  EXPECT_EQ(table(5, 4, 2), (Table{{0, 4, 1}, {2, 5, 4}}));
  EXPECT_EQ(table(6, 4, 2), (Table{{0, 4, 1}, {2, 6, 4}}));
  EXPECT_EQ(table(9, 4, 2), (Table{{0, 4, 1}, {2, 6, 4}, {4, 8, 6}, {6, 9, 8}}));
  // The longest stride leaves one id of context.
  EXPECT_EQ(table(9, 4, 3), (Table{{0, 4, 1}, {3, 7, 4}, {6, 9, 7}}));
  EXPECT_EQ(table(10, 4, 3), (Table{{0, 4, 1}, {3, 7, 4}, {6, 10, 7}}));
  // The shortest stride scores one id per window.
  EXPECT_EQ(table(6, 4, 1), (Table{{0, 4, 1}, {1, 5, 4}, {2, 6, 5}}));
  // The smallest context is a bigram model.
  EXPECT_EQ(table(4, 2, 1), (Table{{0, 2, 1}, {1, 3, 2}, {2, 4, 3}}));
}

TEST(Windows, NothingToPredict) {
  EXPECT_TRUE(plan_windows(0, 4, 2).empty());
  EXPECT_TRUE(plan_windows(1, 4, 2).empty());
}

TEST(Windows, EveryIdIsScoredOnceByTheFirstWindowThatHoldsIt) {
  for (int64_t context = 2; context <= 9; ++context) {
    for (int64_t stride = 1; stride < context; ++stride) {
      for (int64_t length = 0; length <= 40; ++length) {
        SCOPED_TRACE(::testing::Message() << context << " " << stride << " " << length);
        int64_t next = 1;
        int64_t begin = 0;
        for (const WindowSpan& span : plan_windows(length, context, stride)) {
          ASSERT_EQ(span.begin, begin);
          begin += stride;
          ASSERT_LE(span.end - span.begin, context);
          ASSERT_EQ(span.first_scored, next);
          ASSERT_LT(span.first_scored, span.end);
          ASSERT_GE(span.first_scored - span.begin, next == 1 ? 1 : context - stride);
          next = span.end;
        }
        ASSERT_EQ(next, std::max<int64_t>(length, 1));
      }
    }
  }
}

TEST(Windows, RefusesImpossibleSizes) {
  EXPECT_THROW(plan_windows(5, 1, 1), std::invalid_argument);
  EXPECT_THROW(plan_windows(5, 0, 1), std::invalid_argument);
  EXPECT_THROW(plan_windows(5, -4, 1), std::invalid_argument);
  EXPECT_THROW(plan_windows(5, 4, 0), std::invalid_argument);
  EXPECT_THROW(plan_windows(5, 4, -1), std::invalid_argument);
  EXPECT_THROW(plan_windows(5, 4, 4), std::invalid_argument);
  EXPECT_THROW(plan_windows(0, 4, 9), std::invalid_argument) << "also when there is nothing to do";
}

}  // namespace
}  // namespace mesita::evaluation
