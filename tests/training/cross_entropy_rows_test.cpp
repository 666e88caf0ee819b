#include "training/cross_entropy_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "model/kernels/seeded_normal.h"

namespace mesita::training {
namespace {

struct Reference {
  double nats = 0.0;
  std::vector<double> gradient;
};

// Plain float64.
Reference reference(const std::vector<float>& logits, int64_t target, double scale) {
  double largest = -INFINITY, total = 0.0;
  for (const float x : logits) largest = std::max(largest, static_cast<double>(x));
  for (const float x : logits) total += std::exp(x - largest);
  Reference result;
  for (const float x : logits) result.gradient.push_back(scale * std::exp(x - largest) / total);
  result.gradient[static_cast<size_t>(target)] -= scale;
  result.nats = std::log(total) + largest - logits[static_cast<size_t>(target)];
  return result;
}

std::vector<float> row_of(int64_t vocabulary, uint64_t seed, float spread) {
  std::vector<float> row(static_cast<size_t>(vocabulary));
  kernels::seeded_normal(seed, 0, row);
  for (float& x : row) x *= spread;
  return row;
}

uint16_t to_bf16(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

float from_bf16(uint16_t x) {
  const uint32_t bits = static_cast<uint32_t>(x) << 16;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

TEST(CrossEntropyRows, EqualsFloat64ForEverySize) {
  for (const int64_t vocabulary : {1, 2, 15, 16, 17, 65, 100, 1000}) {
    for (const float spread : {0.1f, 3.0f, 40.0f}) {
      const auto row = row_of(vocabulary, static_cast<uint64_t>(vocabulary), spread);
      const int64_t target = vocabulary / 2;
      const Reference expected = reference(row, target, 0.25);
      auto logits = row;
      float nats = -1.0f;
      cross_entropy_rows(logits.data(), &target, 1, vocabulary, 0.25f, RowResult::loss, &nats);
      EXPECT_EQ(logits, row) << "only the loss was wanted";
      EXPECT_NEAR(nats, expected.nats, 1e-5 * (1.0 + spread));
      cross_entropy_rows(logits.data(), &target, 1, vocabulary, 0.25f, RowResult::loss_and_gradient,
                         &nats);
      EXPECT_NEAR(nats, expected.nats, 1e-5 * (1.0 + spread));
      for (size_t i = 0; i < logits.size(); ++i)
        ASSERT_NEAR(logits[i], expected.gradient[i], 1e-6) << vocabulary << " " << i;
    }
  }
}

TEST(CrossEntropyRows, Bf16RoundsOnlyWhatItStores) {
  for (const int64_t vocabulary : {3, 16, 65, 1000}) {
    auto row = row_of(vocabulary, 7, 3.0f);
    std::vector<uint16_t> logits;
    for (float& x : row) {
      logits.push_back(to_bf16(x));
      x = from_bf16(logits.back());
    }
    const int64_t target = vocabulary - 1;
    const Reference expected = reference(row, target, 1.0);
    float nats = 0.0f;
    cross_entropy_rows(logits.data(), &target, 1, vocabulary, 1.0f, RowResult::loss_and_gradient,
                       &nats);
    EXPECT_NEAR(nats, expected.nats, 1e-5);
    for (size_t i = 0; i < logits.size(); ++i)
      ASSERT_NEAR(from_bf16(logits[i]), expected.gradient[i],
                  std::abs(expected.gradient[i]) / 256 + 1e-7);
  }
}

TEST(CrossEntropyRows, IgnoredRowsHaveNeitherLossNorGradient) {
  std::vector<float> logits = row_of(3 * 20, 1, 1.0f);
  const std::vector<int64_t> targets{4, -100, 19};
  std::vector<float> nats(3, -1.0f);
  cross_entropy_rows(logits.data(), targets.data(), 3, 20, 1.0f, RowResult::loss_and_gradient,
                     nats.data());
  EXPECT_GT(nats[0], 0.0f);
  EXPECT_EQ(nats[1], 0.0f);
  EXPECT_GT(nats[2], 0.0f);
  for (size_t i = 20; i < 40; ++i) EXPECT_EQ(logits[i], 0.0f);
}

TEST(CrossEntropyRows, HugeLogitsDoNotOverflowAndNanIsNotHidden) {
  std::vector<float> logits{1e30f, -1e30f, 0.0f};
  const int64_t target = 0;
  float nats = -1.0f;
  cross_entropy_rows(logits.data(), &target, 1, 3, 1.0f, RowResult::loss_and_gradient, &nats);
  EXPECT_EQ(nats, 0.0f);
  for (const float x : logits) EXPECT_NEAR(x, 0.0f, 1e-6);
  for (size_t place : {size_t{0}, size_t{1}, size_t{2}}) {
    std::vector<float> bad{1.0f, 2.0f, 3.0f};
    bad[place] = NAN;
    cross_entropy_rows(bad.data(), &target, 1, 3, 1.0f, RowResult::loss, &nats);
    EXPECT_TRUE(std::isnan(nats)) << place;
  }
}

}  // namespace
}  // namespace mesita::training
