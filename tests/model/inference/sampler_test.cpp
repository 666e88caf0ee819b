#include "model/inference/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "model/kernels/seeded_normal.h"

namespace mesita::inference {
namespace {

std::vector<float> normal_logits(size_t count, uint64_t seed, float scale = 2.0f) {
  std::vector<float> logits(count);
  kernels::seeded_normal(seed, 1, logits);
  for (float& logit : logits) logit *= scale;
  return logits;
}

/// Shares of the unit interval that lead to each id: exact, since a draw is monotonous in
/// `uniform`.
std::vector<double> shares(const std::vector<float>& logits, const SamplingOptions& options,
                           const TokenHistory& history = {}) {
  constexpr int kPoints = 20'000;
  const Distribution distribution(logits);
  std::vector<double> share(logits.size());
  for (int i = 0; i < kPoints; ++i) {
    const int32_t id = sample(distribution, options, history, (i + 0.5) / kPoints);
    share[static_cast<size_t>(id)] += 1.0 / kPoints;
  }
  return share;
}

std::vector<double> softmax(std::vector<double> logits) {
  const double largest = *std::ranges::max_element(logits);
  double total = 0;
  for (double& logit : logits) total += logit = std::exp(logit - largest);
  for (double& logit : logits) logit /= total;
  return logits;
}

void expect_shares(const std::vector<double>& share, const std::vector<double>& expected) {
  ASSERT_EQ(share.size(), expected.size());
  for (size_t i = 0; i < share.size(); ++i) EXPECT_NEAR(share[i], expected[i], 1.1e-4) << i;
}

const std::vector<float> kLogits = {0.5f, -1.0f, 2.0f, 0.0f, 1.0f, 2.0f};
const std::vector<double> kDoubles = {0.5, -1.0, 2.0, 0.0, 1.0, 2.0};

TEST(Sampler, DefaultsDrawFromTheModelsDistribution) {
  expect_shares(shares(kLogits, {}), softmax(kDoubles));
}

TEST(Sampler, TemperatureDividesLogits) {
  SamplingOptions options;
  options.temperature = 0.5;
  std::vector<double> expected = kDoubles;
  for (double& logit : expected) logit /= 0.5;
  expect_shares(shares(kLogits, options), softmax(expected));
  options.temperature = 1e-12;  // no overflow on the way to the limit
  expect_shares(shares(kLogits, options), {0, 0, 0.5, 0, 0, 0.5});
}

TEST(Sampler, TemperatureZeroTakesTheBestTiesByLowestId) {
  SamplingOptions options;
  options.temperature = 0.0;
  for (const double uniform : {0.0, 0.5, 0.999999}) {
    EXPECT_EQ(sample(Distribution(kLogits), options, {}, uniform), 2);
  }
}

TEST(Sampler, TopKKeepsExactlyKTiesByLowestId) {
  SamplingOptions options;
  options.top_k = 1;
  expect_shares(shares(kLogits, options), {0, 0, 1, 0, 0, 0});
  options.top_k = 3;
  const double rest = std::exp(1.0), best = std::exp(2.0), total = rest + 2 * best;
  expect_shares(shares(kLogits, options), {0, 0, best / total, 0, rest / total, best / total});
  for (const int64_t all : {int64_t{0}, int64_t{-1}, int64_t{6}, int64_t{100}}) {
    options.top_k = all;
    expect_shares(shares(kLogits, options), softmax(kDoubles));
  }
}

TEST(Sampler, TopPKeepsTheSmallestSetThatReachesIt) {
  const std::vector<double> p = softmax(kDoubles);  // 2 and 5: 0.36 each, then 4: 0.13
  SamplingOptions options;
  options.top_p = p[2] + p[5] - 1e-6;
  expect_shares(shares(kLogits, options), {0, 0, 0.5, 0, 0, 0.5});
  options.top_p = p[2] + p[5] + 1e-6;
  const double total = p[2] + p[4] + p[5];
  expect_shares(shares(kLogits, options), {0, 0, p[2] / total, 0, p[4] / total, p[5] / total});
  options.top_p = 1e-9;
  expect_shares(shares(kLogits, options), {0, 0, 1, 0, 0, 0});
}

TEST(Sampler, TopPCountsWhatTopKLeft) {
  SamplingOptions options;
  options.top_k = 3;
  options.top_p = 0.8;  // of the three left, two hold 0.84
  expect_shares(shares(kLogits, options), {0, 0, 0.5, 0, 0, 0.5});
}

TEST(Sampler, TopPWorksWhereManyTokensAreNeeded) {
  const std::vector<float> logits = normal_logits(150, 4, 0.1f);
  SamplingOptions options;
  options.top_p = 0.7;
  const std::vector<double> p = softmax({logits.begin(), logits.end()});
  std::vector<int32_t> order(p.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, std::ranges::greater{},
                    [&](int32_t id) { return p[static_cast<size_t>(id)]; });
  double sum = 0;
  size_t kept = 0;
  while (sum < 0.7) sum += p[static_cast<size_t>(order[kept++])];
  const std::vector<double> share = shares(logits, options);
  for (size_t i = 0; i < order.size(); ++i) {
    EXPECT_EQ(share[static_cast<size_t>(order[i])] > 0.0, i < kept) << i;
  }
}

TEST(Sampler, MinPDropsTokensFarBelowTheBest) {
  SamplingOptions options;
  options.min_p = 0.3;  // e^-1 = 0.37 stays, e^-1.5 = 0.22 goes
  const double rest = std::exp(-1.0), total = 2 + rest;
  expect_shares(shares(kLogits, options), {0, 0, 1 / total, 0, rest / total, 1 / total});
  options.min_p = 1.0;
  expect_shares(shares(kLogits, options), {0, 0, 0.5, 0, 0, 0.5});
}

TEST(Sampler, LogitBiasIsAdded) {
  SamplingOptions options;
  options.logit_bias = {{0, 1.5}, {2, -100.0}};
  expect_shares(shares(kLogits, options), softmax({2.0, -1.0, -98.0, 0.0, 1.0, 2.0}));
}

TEST(Sampler, PenaltiesFollowTheirDefinitions) {
  TokenHistory history;
  history.prompt = {{1, 2}, {4, 1}};
  history.generated = {{4, 3}, {5, 1}};
  SamplingOptions options;
  options.presence_penalty = 0.5;
  options.frequency_penalty = 0.25;
  expect_shares(shares(kLogits, options, history),
                softmax({0.5, -1.0, 2.0, 0.0, 1.0 - 0.5 - 0.75, 2.0 - 0.75}));
  options = {};
  options.repetition_penalty = 2.0;  // positive logits shrink, negative ones grow, each id once
  expect_shares(shares(kLogits, options, history), softmax({0.5, -2.0, 2.0, 0.0, 0.5, 1.0}));
}

TEST(Sampler, WhatIsNotFiniteIsNeverDrawn) {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> logits = {-infinity, 1.0f, std::nanf(""), 1.0f, infinity};
  expect_shares(shares(logits, {}), {0, 0.5, 0, 0.5, 0});
  const std::vector<float> broken(3, std::nanf(""));
  EXPECT_THROW(sample(Distribution(broken), {}, {}, 0.5), std::runtime_error);
}

TEST(Sampler, TheEndsOfTheUnitIntervalAreFine) {
  const double last = std::nextafter(1.0, 0.0);
  EXPECT_EQ(sample(Distribution(kLogits), {}, {}, 0.0), 0);
  EXPECT_EQ(sample(Distribution(kLogits), {}, {}, last), 5);
  const std::vector<float> one = {3.0f};
  EXPECT_EQ(sample(Distribution(one), {}, {}, last), 0);
}

TEST(Distribution, LogprobsAreNormalised) {
  const std::vector<float> logits = normal_logits(1001, 2, 5.0f);
  const Distribution distribution(logits);
  const std::vector<double> p = softmax({logits.begin(), logits.end()});
  double total = 0;
  for (int32_t id = 0; id < distribution.size(); ++id) {
    EXPECT_NEAR(distribution.logprob(id), std::log(p[static_cast<size_t>(id)]), 1e-12);
    total += std::exp(distribution.logprob(id));
  }
  EXPECT_NEAR(total, 1.0, 1e-13);
}

TEST(Distribution, LargeLogitsDoNotOverflow) {
  const std::vector<float> logits = {1e30f, 0.0f, -1e30f};
  EXPECT_EQ(Distribution(logits).logprob(0), 0.0);
}

TEST(Distribution, TopIsSortedWithTiesByTheLowerId) {
  std::vector<float> logits = normal_logits(5000, 3);
  for (float& logit : logits) logit = std::round(logit * 4);  // many ties
  std::vector<int32_t> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](int32_t id) { return logits[static_cast<size_t>(id)]; });
  const Distribution distribution(logits);
  for (const int64_t count : {0, 1, 2, 40, 5000, 6000}) {
    const auto kept = static_cast<ptrdiff_t>(std::min<int64_t>(count, 5000));
    EXPECT_EQ(distribution.top(count), std::vector<int32_t>(order.begin(), order.begin() + kept));
  }
  EXPECT_TRUE(distribution.top(-1).empty());
}

TEST(SamplingOptions, ValidationNamesTheField) {
  const auto message = [](auto change) {
    SamplingOptions options;
    change(options);
    try {
      validate(options, 10);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(message([](SamplingOptions&) {}), "accepted");
  for (const double bad : {-0.1, nan, infinity}) {
    EXPECT_EQ(message([&](auto& o) { o.temperature = bad; }).find("temperature"), 0u) << bad;
  }
  for (const double bad : {0.0, -1.0, 1.1, nan}) {
    EXPECT_EQ(message([&](auto& o) { o.top_p = bad; }).find("top_p"), 0u) << bad;
  }
  for (const double bad : {-0.1, 1.1, nan}) {
    EXPECT_EQ(message([&](auto& o) { o.min_p = bad; }).find("min_p"), 0u) << bad;
  }
  for (const double bad : {nan, infinity}) {
    EXPECT_EQ(message([&](auto& o) { o.presence_penalty = bad; }).find("presence_penalty"), 0u);
    EXPECT_EQ(message([&](auto& o) { o.frequency_penalty = bad; }).find("frequency_penalty"), 0u);
    EXPECT_EQ(message([&](auto& o) { o.logit_bias[3] = bad; }).find("logit_bias"), 0u);
  }
  for (const double bad : {0.0, -1.0, nan}) {
    EXPECT_EQ(message([&](auto& o) { o.repetition_penalty = bad; }).find("repetition_penalty"), 0u);
  }
  for (const int32_t bad : {-1, 10}) {
    EXPECT_EQ(message([&](auto& o) { o.logit_bias[bad] = 1.0; }).find("logit_bias"), 0u);
  }
}

}  // namespace
}  // namespace mesita::inference
