#include "training/precision.h"

#include <ATen/autocast_mode.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/ones.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

namespace mesita::training {
namespace {

constexpr auto kCpu = c10::DeviceType::CPU;

TEST(PrecisionGuard, Bf16OnlyWhileItLives) {
  const at::Tensor x = at::ones({2, 4});
  EXPECT_EQ(at::linear(x, x).scalar_type(), at::kFloat);
  {
    const PrecisionGuard guard(Precision::bf16, kCpu);
    EXPECT_EQ(at::linear(x, x).scalar_type(), at::kBFloat16);
    const PrecisionGuard inner(Precision::float32, kCpu);
    EXPECT_EQ(at::linear(x, x).scalar_type(), at::kBFloat16);
  }
  EXPECT_EQ(at::linear(x, x).scalar_type(), at::kFloat);
  EXPECT_FALSE(at::autocast::is_autocast_enabled(kCpu));
}

TEST(PrecisionGuard, CopiesOfWeightsDoNotOutliveAStep) {
  at::Tensor weight = at::ones({1, 4}).requires_grad_(true);
  const at::Tensor x = at::ones({1, 4});
  for (const double factor : {1.0, 3.0}) {
    {
      const c10::NoGradGuard no_grad;
      weight.fill_(factor);  // as an optimizer would
    }
    const PrecisionGuard guard(Precision::bf16, kCpu);
    EXPECT_EQ(at::linear(x, weight).item<float>(), 4.0f * static_cast<float>(factor));
  }
}

TEST(ChoosePrecision, DoesWhatTheRunSays) {
  const auto never = [](Precision) -> double {
    ADD_FAILURE() << "measured without need";
    return 0.0;
  };
  EXPECT_EQ(choose_precision(Precision::float32, true, never).precision, Precision::float32);
  EXPECT_EQ(choose_precision(Precision::bf16, false, never).precision, Precision::bf16);
  EXPECT_EQ(choose_precision(Precision::automatic, false, never).precision, Precision::float32);
}

TEST(ChoosePrecision, AutomaticallyTakesTheFaster) {
  for (const double bf16 : {0.5, 2.0}) {
    const auto seconds = [&](Precision p) { return p == Precision::bf16 ? bf16 : 1.0; };
    const PrecisionChoice choice = choose_precision(Precision::automatic, true, seconds);
    EXPECT_EQ(choice.precision, bf16 < 1.0 ? Precision::bf16 : Precision::float32);
    EXPECT_NE(choice.reason.find("measured"), std::string::npos);
  }
}

}  // namespace
}  // namespace mesita::training
