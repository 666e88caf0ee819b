#include "training/tasks/rule_grammar_builder.h"

#include <gtest/gtest.h>

namespace mesita::training {
namespace {

using Classes = std::vector<WordClass>;
using Rules = std::vector<GrammarRule>;

const Classes kLetters{{"letter", {{"a", 1}, {"b", 1}}}, {"digit", {{"1", 1}}}};

void expect_refused(const Classes& classes, const Rules& rules, const std::string& part) {
  try {
    const RuleGrammar grammar(classes, rules);
    FAIL() << "accepted, although: " << part;
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(RuleGrammarBuilder, NumbersSpecialsFirst) {
  const RuleGrammar grammar(kLetters, {{"start", {{1, "one c:letter two"}}}});
  EXPECT_EQ(grammar.symbols(),
            (std::vector<std::string>{"<unk>", "<s>", "</s>", "a", "b", "1", "one", "two"}));
}

TEST(RuleGrammarBuilder, RefusesAmbiguity) {
  expect_refused(kLetters, {{"start", {{1, "x y"}, {1, "x z"}}}}, "may begin with 'x'");
  expect_refused(kLetters, {{"start", {{1, "c:letter"}, {1, "a"}}}}, "may begin with 'a'");
  expect_refused(kLetters, {{"start", {{1, "c:letter <t>"}}}, {"t", {{1, "$c"}, {1, "b"}}}},
                 "may begin with 'b'");
  expect_refused(kLetters, {{"start", {{1, "<t>"}, {1, "x"}}}, {"t", {{1, "x"}}}},
                 "may begin with 'x'");
}

TEST(RuleGrammarBuilder, RefusesRecursion) {
  expect_refused(kLetters, {{"start", {{1, "x <start>"}}}}, "reaches itself");
  expect_refused(kLetters, {{"start", {{1, "x <t>"}}}, {"t", {{1, "y <start>"}}}},
                 "reaches itself");
}

TEST(RuleGrammarBuilder, RefusesWordsThatWereNotDrawn) {
  expect_refused(kLetters, {{"start", {{1, "x $c"}}}}, "recalled");
  expect_refused(kLetters, {{"start", {{1, "$c c:letter"}}}}, "recalled before");
  // Only one of the ways to the recall has drawn it.
  expect_refused(kLetters, {{"start", {{1, "<t> z $c"}}}, {"t", {{1, "x c:letter"}, {1, "y"}}}},
                 "recalled before");
}

TEST(RuleGrammarBuilder, RefusesWhatIsUndefinedEmptyOrDefinedTwice) {
  expect_refused(kLetters, {}, "no rules");
  expect_refused(kLetters, {{"start", {}}}, "without alternatives");
  expect_refused(kLetters, {{"start", {{1, " "}}}}, "empty alternative");
  expect_refused(kLetters, {{"start", {{1, "<t>"}}}}, "no rule <t>");
  expect_refused(kLetters, {{"start", {{1, "c:word"}}}}, "no class");
  expect_refused(kLetters, {{"start", {{0, "x"}}}}, "positive");
  expect_refused(kLetters, {{"s", {{1, "x"}}}, {"s", {{1, "y"}}}}, "twice");
  expect_refused(kLetters, {{"start", {{1, "c:letter c:digit"}}}}, "another class");
  expect_refused({{"letter", {}}}, {{"start", {{1, "x"}}}}, "without words");
  expect_refused({{"letter", {{"a", -1}}}}, {{"start", {{1, "x"}}}}, "positive");
  expect_refused({{"letter", {{"a", 1}, {"a", 1}}}}, {{"start", {{1, "x"}}}}, "twice");
  expect_refused({{"l", {{"a", 1}}}, {"l", {{"a", 1}}}}, {{"start", {{1, "x"}}}}, "twice");
}

}  // namespace
}  // namespace mesita::training
