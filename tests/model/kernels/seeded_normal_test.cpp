#include "model/kernels/seeded_normal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>
#include <vector>

#include "model/checkpoint/sha256.h"

namespace mesita::kernels {
namespace {

using Words = std::array<uint32_t, 4>;

// Random123's kat_vectors.
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox({ones, ones, ones, ones}, {ones, ones}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// Test vectors of the FNV authors.
TEST(StreamOf, IsFnv1a) {
  EXPECT_EQ(stream_of(""), 0xcbf29ce484222325U);
  EXPECT_EQ(stream_of("a"), 0xaf63dc4c8601ec8cU);
  EXPECT_EQ(stream_of("foobar"), 0x85944171f73967e8U);
}

std::string bytes_of_hex(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; hex != "-" && i < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

class SeededNormal : public ::testing::TestWithParam<InstructionSet> {
 protected:
  void SetUp() override {
    if (!runs_here(GetParam())) GTEST_SKIP() << "this processor lacks the instructions";
  }
  std::vector<float> draw(uint64_t seed, uint64_t stream, size_t count) const {
    std::vector<float> values(count);
    seeded_normal(GetParam(), seed, stream, values);
    return values;
  }
};

TEST_P(SeededNormal, EqualsTheIndependentImplementation) {
  std::ifstream golden(MESITA_SOURCE_DIR "/tests/golden/seeded_normal.txt");
  ASSERT_TRUE(golden) << "tests/golden/seeded_normal.txt cannot be read";
  int cases = 0;
  for (std::string line; std::getline(golden, line);) {
    if (line.starts_with("#")) continue;
    std::istringstream fields(line);
    uint64_t seed = 0;
    std::string name;
    size_t count = 0;
    std::string hash;
    fields >> std::hex >> seed >> name >> std::dec >> count >> hash >> std::hex;
    const std::vector<float> values = draw(seed, stream_of(bytes_of_hex(name)), count);
    size_t i = 0;
    for (uint32_t bits = 0; fields >> bits; ++i) {
      EXPECT_EQ(std::bit_cast<uint32_t>(values.at(i)), bits) << name << " " << i;
    }
    EXPECT_EQ(i, 12U);
    checkpoint::Sha256 sha256;
    sha256.update(std::as_bytes(std::span(values)));
    EXPECT_EQ(sha256.hex(), hash) << name;
    ++cases;
  }
  EXPECT_EQ(cases, 5);
}

TEST_P(SeededNormal, AValueDependsOnItsIndexAlone) {
  const std::vector<float> all = draw(5, 6, 2000);
  for (const size_t count : {0U, 1U, 2U, 3U, 4U, 5U, 255U, 256U, 257U, 511U, 513U, 1999U}) {
    const std::vector<float> some = draw(5, 6, count);
    EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin())) << count;
  }
}

TEST_P(SeededNormal, WritesNothingOutsideTheSpan) {
  std::vector<float> values(300, 9.0F);
  seeded_normal(GetParam(), 1, 2, std::span(values).subspan(10, 261));
  EXPECT_TRUE(std::all_of(values.begin(), values.begin() + 10, [](float x) { return x == 9.0F; }));
  EXPECT_TRUE(std::all_of(values.begin() + 271, values.end(), [](float x) { return x == 9.0F; }));
}

// The same formula with libm in long double: float64's error must vanish in the final rounding.
TEST_P(SeededNormal, EqualsLibmAfterRounding) {
  const std::vector<float> values = draw(77, 3, 200000);
  int different = 0;
  for (uint32_t block = 0; block < values.size() / 4; ++block) {
    const Words words = philox({block, 0, 3, 0}, {77, 0});
    for (size_t pair = 0; pair < 4; pair += 2) {
      const long double u = (words[pair] + 0.5L) * 0x1p-32L;
      const long double angle =
          2.0L * 3.14159265358979323846264L * (words[pair + 1] + 0.5L) * 0x1p-32L;
      const long double radius = std::sqrt(-2.0L * std::log(u));
      const auto expected0 = static_cast<float>(radius * std::cos(angle));
      const auto expected1 = static_cast<float>(radius * std::sin(angle));
      different += values[4 * block + pair] != expected0 ? 1 : 0;
      different += values[4 * block + pair + 1] != expected1 ? 1 : 0;
    }
  }
  EXPECT_LE(different, 1);
}

std::string copy_name(const ::testing::TestParamInfo<InstructionSet>& copy) {
  switch (copy.param) {
    case InstructionSet::avx2:
      return "avx2";
    case InstructionSet::avx512:
      return "avx512";
    default:
      return "baseline";
  }
}

INSTANTIATE_TEST_SUITE_P(Copies, SeededNormal,
                         ::testing::Values(InstructionSet::baseline, InstructionSet::avx2,
                                           InstructionSet::avx512),
                         copy_name);

constexpr size_t kMany = 4'000'000;

const std::vector<float>& many() {
  static const std::vector<float> values = [] {
    std::vector<float> drawn(kMany);
    seeded_normal(2024, stream_of("quality"), drawn);
    return drawn;
  }();
  return values;
}

double moment(int power) {
  double sum = 0;
  for (const float value : many()) sum += std::pow(static_cast<double>(value), power);
  return sum / kMany;
}

// Bounds of five standard errors: the variance of z^k is E z^2k - (E z^k)^2.
TEST(SeededNormalQuality, Moments) {
  const double root = std::sqrt(static_cast<double>(kMany));
  EXPECT_NEAR(moment(1), 0, 5 * std::sqrt(1.0) / root);
  EXPECT_NEAR(moment(2), 1, 5 * std::sqrt(2.0) / root);
  EXPECT_NEAR(moment(3), 0, 5 * std::sqrt(15.0) / root);
  EXPECT_NEAR(moment(4), 3, 5 * std::sqrt(96.0) / root);
  EXPECT_NEAR(moment(6), 15, 5 * std::sqrt(10395.0 - 225.0) / root);
}

TEST(SeededNormalQuality, QuantilesOfBothTails) {
  for (const double z : {0.0, 0.5, 1.0, 2.0, 3.0, 4.0, 4.5}) {
    const double p = 0.5 * std::erfc(z / std::sqrt(2.0));
    const double error = 5 * std::sqrt(p * (1 - p) * kMany);
    const auto above = [z](float x) { return x > z; };
    const auto below = [z](float x) { return x < -z; };
    EXPECT_NEAR(std::count_if(many().begin(), many().end(), above), p * kMany, error) << z;
    EXPECT_NEAR(std::count_if(many().begin(), many().end(), below), p * kMany, error) << -z;
  }
}

TEST(SeededNormalQuality, NeighboursStreamsAndSeedsAreUncorrelated) {
  const size_t count = 1'000'000;
  std::vector<float> a(count + 4);
  seeded_normal(1, 1, a);
  const auto correlation = [&](std::span<const float> b) {
    double sum = 0;
    for (size_t i = 0; i < count; ++i) sum += static_cast<double>(a[i]) * b[i];
    return sum / static_cast<double>(count);
  };
  const double bound = 5 / std::sqrt(static_cast<double>(count));
  for (size_t lag = 1; lag <= 4; ++lag) {
    EXPECT_NEAR(correlation(std::span(a).subspan(lag)), 0, bound) << lag;
  }
  std::vector<float> b(count);
  for (const auto& [seed, stream] : std::vector<std::pair<uint64_t, uint64_t>>{
           {2, 1}, {1, 2}, {uint64_t{1} << 32, 1}, {1, uint64_t{1} << 32}}) {
    seeded_normal(seed, stream, b);
    EXPECT_NEAR(correlation(b), 0, bound) << seed << " " << stream;
  }
}

TEST(SeededNormalCopies, TheDefaultIsOneOfThem) {
  std::vector<float> expected(1000);
  std::vector<float> found(1000);
  seeded_normal(InstructionSet::baseline, 8, 9, expected);
  seeded_normal(8, 9, found);
  EXPECT_EQ(std::memcmp(expected.data(), found.data(), 4000), 0);
}

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
// What __builtin_cpu_supports reads (libgcc's struct __processor_model).
extern "C" struct { unsigned int vendor, type, subtype, features; } __cpu_model;

// Virtual machines can hide single instructions: the kernels' copies use these as well.
TEST(InstructionSets, NeedEveryFeatureThatTheKernelsAreCompiledFor) {
  constexpr unsigned int kAvx2 = 1U << 10;
  constexpr unsigned int kFma = 1U << 14;
  const unsigned int features = __cpu_model.features;
  const auto runs_without = [features](unsigned int hidden, InstructionSet set) {
    __cpu_model.features = features & ~hidden;
    const bool runs = runs_here(set);
    __cpu_model.features = features;
    return runs;
  };
  EXPECT_FALSE(runs_without(kFma, InstructionSet::avx2));
  EXPECT_FALSE(runs_without(kAvx2, InstructionSet::avx2));
  EXPECT_FALSE(runs_without(kFma, InstructionSet::avx512));
  EXPECT_FALSE(runs_without(kAvx2, InstructionSet::avx512));
  EXPECT_TRUE(runs_without(kFma | kAvx2, InstructionSet::baseline));
}
#endif

TEST(SeededUniform, IsUniformAndAFunctionOfItsArguments) {
  constexpr int kCount = 200'000;
  std::vector<int> counts(64);
  double sum = 0;
  for (uint64_t position = 0; position < kCount; ++position) {
    const double x = seeded_uniform(3, 4, position);
    ASSERT_GE(x, 0.0);
    ASSERT_LT(x, 1.0);
    sum += x;
    ++counts[static_cast<size_t>(x * 64)];
  }
  EXPECT_NEAR(sum / kCount, 0.5, 5 / std::sqrt(12.0 * kCount));
  double chi_square = 0;
  for (const int count : counts) chi_square += (count - kCount / 64.0) * (count - kCount / 64.0);
  EXPECT_LT(chi_square / (kCount / 64.0), 63 + 5 * std::sqrt(126.0));

  std::set<double> distinct;
  for (const uint64_t value : {uint64_t{0}, uint64_t{1}, uint64_t{1} << 32, ~uint64_t{0}}) {
    distinct.insert(seeded_uniform(value, 5, 6));
    distinct.insert(seeded_uniform(5, value, 6));
    distinct.insert(seeded_uniform(5, 6, value));
  }
  EXPECT_EQ(distinct.size(), 12U);
  EXPECT_EQ(seeded_uniform(1, 2, 3), seeded_uniform(1, 2, 3));
}

// The two first words of Random123's third vector, as a fraction with 53 bits.
TEST(SeededUniform, KnownAnswer) {
  const double expected = static_cast<double>(0x94fdccebd16cfe09U >> 11) * 0x1p-53;
  EXPECT_EQ(seeded_uniform(0x299f31d0a4093822U, 0x0370734413198a2eU, 0x85a308d3243f6a88U),
            expected);
}

}  // namespace
}  // namespace mesita::kernels
