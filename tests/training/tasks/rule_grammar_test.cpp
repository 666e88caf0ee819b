#include "training/tasks/rule_grammar.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace mesita::training {
namespace {

// Small enough to write all of its documents down:
//   c ("a" or "b", 3:1), then either "x" c again (prob 1/4), or "y" and a second word d (uniform).
RuleGrammar small_grammar() {
  return RuleGrammar(
      {{"letter", {{"a", 3}, {"b", 1}}}},
      {{"start", {{1, "c:letter <tail>"}}}, {"tail", {{1, "x $c"}, {3, "y d:letter ."}}}});
}

std::map<std::vector<std::string>, double> all_documents() {
  std::map<std::vector<std::string>, double> all;
  const std::map<std::string, double> letters{{"a", 0.75}, {"b", 0.25}};
  for (const auto& [c, pc] : letters) {
    all[{c, "x", c}] = pc * 0.25;
    for (const auto& [d, pd] : letters) all[{c, "y", d, "."}] = pc * 0.75 * pd;
  }
  return all;
}

std::vector<int32_t> ids_of(const RuleGrammar& grammar, const std::vector<std::string>& words) {
  std::vector<int32_t> ids{RuleGrammar::kStart};
  for (const std::string& word : words) {
    const auto& symbols = grammar.symbols();
    ids.push_back(
        static_cast<int32_t>(std::find(symbols.begin(), symbols.end(), word) - symbols.begin()));
  }
  ids.push_back(RuleGrammar::kEnd);
  return ids;
}

double total(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

TEST(RuleGrammar, EntropyAndLengthEqualEnumeration) {
  const RuleGrammar grammar = small_grammar();
  double probability = 0.0, entropy = 0.0, symbols = 0.0;
  for (const auto& [words, p] : all_documents()) {
    EXPECT_NEAR(total(grammar.surprisals(ids_of(grammar, words))), -std::log(p), 1e-12);
    probability += p;
    entropy -= p * std::log(p);
    symbols += p * static_cast<double>(words.size() + 1);
  }
  EXPECT_NEAR(probability, 1.0, 1e-12);
  EXPECT_NEAR(grammar.entropy(), entropy, 1e-12);
  EXPECT_NEAR(grammar.mean_symbols(), symbols, 1e-12);
  EXPECT_EQ(grammar.longest_document(), 6);
}

TEST(RuleGrammar, DrawsDocumentsWithTheirProbabilities) {
  const RuleGrammar grammar = small_grammar();
  std::map<std::vector<int32_t>, int> counts;
  constexpr int kDraws = 20000;
  for (int i = 0; i < kDraws; ++i) ++counts[grammar.document(5, static_cast<uint64_t>(i))];
  EXPECT_EQ(counts.size(), all_documents().size());
  for (const auto& [words, p] : all_documents()) {
    const double error = std::sqrt(p * (1 - p) / kDraws);
    EXPECT_NEAR(counts[ids_of(grammar, words)] / double{kDraws}, p, 5 * error);
  }
}

TEST(RuleGrammar, RecalledWordsAreFreeAndNoOtherWordMayStandThere) {
  const RuleGrammar grammar = small_grammar();
  const auto nats = grammar.surprisals(ids_of(grammar, {"b", "x", "b"}));
  ASSERT_EQ(nats.size(), 4u);
  EXPECT_NEAR(nats[0], std::log(4.0), 1e-12);
  EXPECT_NEAR(nats[1], std::log(4.0), 1e-12);
  EXPECT_EQ(nats[2], 0.0);
  EXPECT_EQ(nats[3], 0.0);
  EXPECT_THROW(grammar.surprisals(ids_of(grammar, {"b", "x", "a"})), std::invalid_argument);
}

TEST(RuleGrammar, RefusesDocumentsThatItDoesNotGenerate) {
  const RuleGrammar grammar = small_grammar();
  const auto refused = [&](std::vector<int32_t> ids, const std::string& part) {
    try {
      grammar.surprisals(ids);
      FAIL() << "accepted";
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  const auto good = ids_of(grammar, {"a", "y", "b", "."});
  refused({}, "begins with <s>");
  refused({good.begin() + 1, good.end()}, "begins with <s>");
  for (size_t length = 1; length < good.size(); ++length)
    refused({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length)}, "is missing");
  auto longer = good;
  longer.push_back(good[1]);
  refused(longer, "after its end");
  auto unknown = good;
  unknown[2] = 1000;
  refused(unknown, "symbol 2 is '1000'");
  unknown[2] = -1;
  refused(unknown, "'-1'");
}

TEST(RuleGrammar, IsAPureFunctionOfSeedAndIndex) {
  const RuleGrammar grammar = small_grammar();
  int same = 0;
  for (uint64_t i = 0; i < 50; ++i) {
    EXPECT_EQ(grammar.document(1, i), small_grammar().document(1, i));
    same += grammar.document(1, i) == grammar.document(2, i) ? 1 : 0;
  }
  EXPECT_LT(same, 45);
}

}  // namespace
}  // namespace mesita::training
