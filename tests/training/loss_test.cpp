#include "training/loss.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include "training/precision.h"

namespace mesita::training {
namespace {

struct Problem {
  at::Tensor hidden, unembedding, targets;
};

Problem problem(int64_t positions, int64_t width, int64_t vocabulary,
                at::ScalarType type = at::kFloat) {
  Problem p{at::randn({positions, width}, type), at::randn({vocabulary, width}, type),
            at::randint(vocabulary, {positions}, at::kLong)};
  p.targets.narrow(0, 0, positions / 3).fill_(-100);
  p.hidden.requires_grad_(true);
  p.unembedding.requires_grad_(true);
  return p;
}

// PyTorch's own, summed over what is scored.
at::Tensor reference(const Problem& p, double divisor) {
  return at::cross_entropy_loss(at::linear(p.hidden, p.unembedding), p.targets, {},
                                at::Reduction::Sum, -100) /
         divisor;
}

double distance(const at::Tensor& a, const at::Tensor& b) {
  return ((a - b).abs().max() / b.abs().max()).item<double>();
}

at::Tensor taken_gradient(at::Tensor& tensor) {
  at::Tensor gradient = tensor.grad().clone();
  tensor.mutable_grad().reset();
  return gradient;
}

TEST(NextTokenLoss, EqualsPyTorchWithItsGradients) {
  // The last is cut into several pieces.
  for (const auto& [positions, vocabulary] : {std::pair{7, 5}, {40, 65}, {700, 4096}}) {
    Problem p = problem(positions, 24, vocabulary);
    const at::Tensor expected = reference(p, 11.0);
    expected.backward();
    const at::Tensor hidden = taken_gradient(p.hidden), unembedding = taken_gradient(p.unembedding);
    const at::Tensor loss = next_token_loss(p.hidden, p.unembedding, p.targets, 11.0);
    loss.backward();
    EXPECT_LT(distance(loss, expected), 1e-6);
    EXPECT_LT(distance(p.hidden.grad(), hidden), 1e-5);
    EXPECT_LT(distance(p.unembedding.grad(), unembedding), 1e-5);
  }
}

TEST(NextTokenLoss, Float64GoesThroughPyTorch) {
  Problem p = problem(30, 8, 20, at::kDouble);
  const at::Tensor loss = next_token_loss(p.hidden, p.unembedding, p.targets, 1.0);
  EXPECT_EQ(loss.scalar_type(), at::kDouble);
  EXPECT_LT(distance(loss, reference(p, 1.0)), 1e-14);
}

TEST(NextTokenLoss, UnderAutocastIsAsExactAsPyTorch) {
  Problem p = problem(300, 32, 500);
  Problem exact{p.hidden.detach().to(at::kDouble).requires_grad_(true),
                p.unembedding.detach().to(at::kDouble).requires_grad_(true), p.targets};
  const at::Tensor expected = reference(exact, 100.0);
  expected.backward();
  at::Tensor theirs, ours;
  {
    const PrecisionGuard guard(Precision::bf16, c10::DeviceType::CPU);
    theirs = reference(p, 100.0);
    ours = next_token_loss(p.hidden, p.unembedding, p.targets, 100.0);
  }
  theirs.backward();
  const at::Tensor hidden = taken_gradient(p.hidden), unembedding = taken_gradient(p.unembedding);
  ours.backward();
  EXPECT_EQ(ours.scalar_type(), at::kFloat);
  EXPECT_EQ(p.hidden.grad().scalar_type(), at::kFloat);
  EXPECT_LT(distance(ours, expected), 1e-3);
  EXPECT_LT(distance(p.hidden.grad(), exact.hidden.grad()),
            1.2 * distance(hidden, exact.hidden.grad()) + 1e-4);
  EXPECT_LT(distance(p.unembedding.grad(), exact.unembedding.grad()),
            1.2 * distance(unembedding, exact.unembedding.grad()) + 1e-4);
}

TEST(NextTokenLoss, ScaledLossesScaleTheirGradients) {
  Problem p = problem(20, 8, 30);
  next_token_loss(p.hidden, p.unembedding, p.targets, 1.0).backward();
  const at::Tensor whole = taken_gradient(p.hidden);
  (next_token_loss(p.hidden, p.unembedding, p.targets, 1.0) * 0.5).backward();
  EXPECT_LT(distance(p.hidden.grad(), whole * 0.5), 1e-6);
}

TEST(NextTokenLoss, NoGradientWhereNoneIsWanted) {
  Problem p = problem(20, 8, 30);
  p.unembedding.requires_grad_(false);
  next_token_loss(p.hidden, p.unembedding, p.targets, 1.0).backward();
  EXPECT_TRUE(p.hidden.grad().defined());
  EXPECT_FALSE(p.unembedding.grad().defined());
}

TEST(NextTokenLoss, RefusesWhatDoesNotFit) {
  const Problem p = problem(20, 8, 30);
  const auto refuses = [](const at::Tensor& hidden, const at::Tensor& unembedding,
                          const at::Tensor& targets) {
    EXPECT_THROW(next_token_loss(hidden, unembedding, targets, 1.0), std::invalid_argument);
    EXPECT_THROW(next_token_nats(hidden, unembedding, targets), std::invalid_argument);
  };
  refuses(p.hidden.unsqueeze(0), p.unembedding, p.targets);
  refuses(p.hidden, p.unembedding.t(), p.targets);
  refuses(p.hidden, p.unembedding, p.targets.narrow(0, 0, 10));
  refuses(p.hidden, p.unembedding, p.targets.to(at::kInt));
  refuses(p.hidden, p.unembedding.narrow(0, 0, 1), p.targets);
}

TEST(NextTokenNats, SumToTheLoss) {
  for (const int64_t vocabulary : {30, 4096}) {
    const Problem p = problem(600, 8, vocabulary);
    const at::Tensor nats = next_token_nats(p.hidden, p.unembedding, p.targets);
    EXPECT_FALSE(nats.requires_grad());
    EXPECT_EQ(nats.narrow(0, 0, 200).abs().max().item<double>(), 0.0);
    EXPECT_LT(distance(nats.sum(), reference(p, 1.0)), 1e-6);
  }
}

}  // namespace
}  // namespace mesita::training
