#include "training/data/set_mixture.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace mesita::training {
namespace {

// Documents of changing lengths, 1 .. 50 tokens.
std::vector<int64_t> given_after(SetMixture& mixture, size_t sets, int documents) {
  std::vector<int64_t> given(sets, 0);
  for (int i = 0; i < documents; ++i) {
    const size_t set = mixture.next();
    const int64_t tokens = 1 + (i * 37 + static_cast<int>(set) * 11) % 50;
    mixture.count(set, tokens);
    given[set] += tokens;
  }
  return given;
}

TEST(SetMixture, GivesNaturalSharesWithoutWeights) {
  SetMixture mixture({{"a", 100}, {"b", 300}, {"c", 600}}, {});
  const auto given = given_after(mixture, 3, 5000);
  const auto all = static_cast<double>(given[0] + given[1] + given[2]);
  EXPECT_NEAR(static_cast<double>(given[0]), 0.1 * all, 100);  // two documents
  EXPECT_NEAR(static_cast<double>(given[1]), 0.3 * all, 100);
  EXPECT_NEAR(static_cast<double>(given[2]), 0.6 * all, 100);
}

TEST(SetMixture, WeightsMultiplyShares) {
  SetMixture mixture({{"a", 100}, {"b", 300}, {"c", 600}}, {{"a", 2.0}, {"c", 0.5}});
  const auto given = given_after(mixture, 3, 5000);
  const auto all = static_cast<double>(given[0] + given[1] + given[2]);
  EXPECT_NEAR(static_cast<double>(given[0]), 0.25 * all, 100);
  EXPECT_NEAR(static_cast<double>(given[1]), 0.375 * all, 100);
  EXPECT_NEAR(static_cast<double>(given[2]), 0.375 * all, 100);
}

TEST(SetMixture, WeightZeroAndEmptySetsAreNeverShown) {
  SetMixture mixture({{"none", 0}, {"off", 500}, {"on", 5}}, {{"off", 0.0}});
  const auto given = given_after(mixture, 3, 200);
  EXPECT_EQ(given[0], 0);
  EXPECT_EQ(given[1], 0);
  EXPECT_GT(given[2], 0);
  EXPECT_THROW(mixture.count(1, 5), std::invalid_argument);
}

TEST(SetMixture, TakesTheFirstOfEqualsAndTheLargestDeficit) {
  SetMixture mixture({{"a", 10}, {"b", 10}}, {});
  EXPECT_EQ(mixture.next(), 0u);
  mixture.count(0, 1);
  EXPECT_EQ(mixture.next(), 1u);
  mixture.count(1, 3);
  EXPECT_EQ(mixture.next(), 0u);
  mixture.count(0, 2);
  EXPECT_EQ(mixture.next(), 0u);
}

TEST(SetMixture, HugeSetsDoNotOverflow) {
  const int64_t huge = int64_t{1} << 50;
  SetMixture mixture({{"a", huge}, {"b", huge}, {"tiny", 1}}, {{"a", 1000.0}, {"b", 1000.0}});
  const std::string far = std::to_string(std::numeric_limits<int64_t>::max() / 8);
  mixture.seek(far + ":" + far + ":3000000");
  EXPECT_EQ(mixture.next(), 0u);
  mixture.count(0, 1);
  EXPECT_EQ(mixture.next(), 1u);
}

TEST(SetMixture, ComparesExactlyAfterManyTokens) {
  SetMixture mixture({{"a", 3}, {"b", 5}}, {});
  for (int64_t unit = 1; unit < int64_t{1} << 58; unit *= 3) {
    const std::string a = std::to_string(3 * unit), b = std::to_string(5 * unit);
    mixture.seek(a + ":" + b);
    EXPECT_EQ(mixture.next(), 0u) << unit;
    mixture.seek(std::to_string(3 * unit + 1) + ":" + b);
    EXPECT_EQ(mixture.next(), 1u) << unit;
    mixture.seek(a + ":" + std::to_string(5 * unit + 1));
    EXPECT_EQ(mixture.next(), 0u) << unit;
  }
}

TEST(SetMixture, GoesOnFromItsCursor) {
  const std::vector<MixedSet> sets{{"a", 100}, {"b", 300}, {"c", 7}};
  for (int documents = 0; documents < 60; ++documents) {
    SetMixture mixture(sets, {{"c", 3.0}}), resumed(sets, {{"c", 3.0}});
    given_after(mixture, 3, documents);
    resumed.seek(mixture.cursor());
    EXPECT_EQ(resumed.cursor(), mixture.cursor());
    EXPECT_EQ(given_after(resumed, 3, 40), given_after(mixture, 3, 40)) << documents;
    EXPECT_EQ(resumed.cursor(), mixture.cursor());
  }
}

TEST(SetMixture, ForeignCursorsAreRefusedAndChangeNothing) {
  SetMixture mixture({{"a", 10}, {"b", 10}, {"off", 10}}, {{"off", 0.0}});
  mixture.seek("3:4:0");
  for (const char* cursor :
       {"", "1", "1:2", "1:2:0:0", "1:2:0x", "-1:2:0", "1:2:3", "a:b:c", "1::0", " 1:2:0",
        "1:2:0:", "99999999999999999999:0:0", "9223372036854775807:1:0"}) {
    EXPECT_THROW(mixture.seek(cursor), std::invalid_argument) << cursor;
    EXPECT_EQ(mixture.cursor(), "3:4:0") << cursor;
  }
}

TEST(SetMixture, RefusesWrongWeightsAndSets) {
  const std::vector<MixedSet> sets{{"a", 10}, {"b", 10}};
  try {
    SetMixture(sets, {{"c", 1.0}});
    ADD_FAILURE();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("'c'"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("a, b"), std::string::npos) << error.what();
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double weight : {-1.0, 1001.0, 1e-9, nan, std::numeric_limits<double>::infinity()})
    EXPECT_THROW(SetMixture(sets, {{"a", weight}}), std::invalid_argument) << weight;
  EXPECT_THROW(SetMixture(sets, {{"a", 0.0}, {"b", 0.0}}), std::invalid_argument);
  EXPECT_THROW(SetMixture({}, {}), std::invalid_argument);
  EXPECT_THROW(SetMixture({{"a", 1}, {"a", 2}}, {}), std::invalid_argument);
  EXPECT_THROW(SetMixture({{"a", -1}}, {}), std::invalid_argument);
  EXPECT_THROW(SetMixture({{"a", (int64_t{1} << 50) + 1}}, {}), std::invalid_argument);
  SetMixture mixture(sets, {});
  EXPECT_THROW(mixture.count(2, 1), std::invalid_argument);
  EXPECT_THROW(mixture.count(0, 0), std::invalid_argument);
}

}  // namespace
}  // namespace mesita::training
