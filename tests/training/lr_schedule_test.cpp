#include "training/lr_schedule.h"

#include <gtest/gtest.h>

namespace mesita::training {
namespace {

TEST(LrSchedule, WarmUpNeverStartsAtZero) {
  const LrSchedule schedule{.lr = 1.0, .min_lr = 0.0, .warmup_steps = 4, .steps = 104};
  EXPECT_DOUBLE_EQ(schedule.at(0, 0.0), 0.2);
  EXPECT_DOUBLE_EQ(schedule.at(3, 0.0), 0.8);
  EXPECT_DOUBLE_EQ(schedule.at(4, 0.0), 1.0);
}

TEST(LrSchedule, CosineReachesTheMinimumAndStays) {
  const LrSchedule schedule{.lr = 1.0, .min_lr = 0.1, .warmup_steps = 4, .steps = 104};
  EXPECT_NEAR(schedule.at(54, 0.0), 0.55, 1e-12);
  EXPECT_NEAR(schedule.at(104, 0.0), 0.1, 1e-12);
  EXPECT_NEAR(schedule.at(1000000, 0.0), 0.1, 1e-12);
}

TEST(LrSchedule, FollowsTheClockWhenItIsFurther) {
  const LrSchedule unlimited{.lr = 1.0, .min_lr = 0.0, .warmup_steps = 0, .steps = 0};
  EXPECT_NEAR(unlimited.at(10, 0.5), 0.5, 1e-12);
  EXPECT_NEAR(unlimited.at(10, 2.0), 0.0, 1e-12);
  const LrSchedule both{.lr = 1.0, .min_lr = 0.0, .warmup_steps = 0, .steps = 100};
  EXPECT_NEAR(both.at(75, 0.5), both.at(75, 0.0), 1e-12);
  EXPECT_NEAR(both.at(25, 0.5), 0.5, 1e-12);
}

TEST(LrSchedule, WarmUpLongerThanTheRun) {
  const LrSchedule schedule{.lr = 1.0, .min_lr = 0.0, .warmup_steps = 100, .steps = 10};
  EXPECT_NEAR(schedule.at(9, 0.0), 10.0 / 101.0, 1e-12);
}

TEST(LrSchedule, ConstantStaysAfterTheWarmUp) {
  const LrSchedule schedule{.lr = 2.0,
                            .min_lr = 1.0,
                            .warmup_steps = 3,
                            .steps = 10,
                            .kind = Schedule::constant,
                            .decay_fraction = 0.2};
  EXPECT_DOUBLE_EQ(schedule.at(0, 0.0), 0.5);
  for (const int64_t step : {3, 5, 9, 100}) EXPECT_DOUBLE_EQ(schedule.at(step, 0.0), 2.0);
  EXPECT_DOUBLE_EQ(schedule.at(5, 0.99), 2.0);
}

TEST(LrSchedule, WsdIsStableThenDecaysAsOneMinusRoot) {
  const LrSchedule schedule{.lr = 3.0,
                            .min_lr = 1.0,
                            .warmup_steps = 0,
                            .steps = 100,
                            .kind = Schedule::wsd,
                            .decay_fraction = 0.4};
  EXPECT_DOUBLE_EQ(schedule.at(0, 0.0), 3.0);
  EXPECT_DOUBLE_EQ(schedule.at(60, 0.0), 3.0);
  EXPECT_NEAR(schedule.at(70, 0.0), 2.0, 1e-12);  // a quarter of the decay: 1 - 1/2
  EXPECT_NEAR(schedule.at(10, 0.7), 2.0, 1e-12);  // the clock is further
  EXPECT_NEAR(schedule.at(100, 0.0), 1.0, 1e-12);
  EXPECT_NEAR(schedule.at(1000, 0.0), 1.0, 1e-12);
}

TEST(LrSchedule, WsdWithoutDecayIsConstant) {
  const LrSchedule schedule{.lr = 3.0,
                            .min_lr = 1.0,
                            .warmup_steps = 0,
                            .steps = 100,
                            .kind = Schedule::wsd,
                            .decay_fraction = 0.0};
  EXPECT_DOUBLE_EQ(schedule.at(100, 0.0), 3.0);
}

}  // namespace
}  // namespace mesita::training
