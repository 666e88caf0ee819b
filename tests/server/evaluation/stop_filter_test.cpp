#include "server/evaluation/stop_filter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>

namespace mesita::evaluation {
namespace {

// What interfaces.md says, for the whole text at once.
std::string cut(const std::string& text, const std::vector<std::string>& stops) {
  size_t first = std::string::npos;
  for (const std::string& stop : stops) {
    if (!stop.empty()) first = std::min(first, text.find(stop));
  }
  return text.substr(0, first);
}

TEST(StopFilter, WithoutStopsNothingIsWithheld) {
  StopFilter filter({});
  EXPECT_EQ(filter.push("abc"), "abc");
  EXPECT_EQ(filter.finish(), "");
  EXPECT_FALSE(filter.stopped());
}

TEST(StopFilter, WithholdsWhatMayBecomeAStopString) {
  StopFilter filter({"DEFGHIJ"});
  EXPECT_EQ(filter.push("ABC DEF"), "ABC ");
  EXPECT_EQ(filter.push("G"), "");
  EXPECT_EQ(filter.push("X"), "DEFGX") << "it did not";
  EXPECT_EQ(filter.push("DEFG"), "");
  EXPECT_EQ(filter.push("HIJ and more"), "");
  EXPECT_TRUE(filter.stopped());
  EXPECT_EQ(filter.push("later"), "");
  EXPECT_EQ(filter.finish(), "");
}

TEST(StopFilter, TheOneThatStartsFirstWinsEvenWhenAnotherCompletesEarlier) {
  StopFilter completed({"b", "abcd"});
  EXPECT_EQ(completed.push("xab"), "x");
  EXPECT_FALSE(completed.stopped()) << "abcd may still come";
  EXPECT_EQ(completed.push("cd"), "");
  EXPECT_TRUE(completed.stopped());

  StopFilter broken({"b", "abcd"});
  EXPECT_EQ(broken.push("xab"), "x");
  EXPECT_EQ(broken.push("x"), "a");
  EXPECT_TRUE(broken.stopped());

  StopFilter ended({"b", "abcd"});
  EXPECT_EQ(ended.push("xab"), "x");
  EXPECT_EQ(ended.finish(), "a") << "b is complete and nothing else can be";
  EXPECT_TRUE(ended.stopped());
}

TEST(StopFilter, WithheldTextIsReleasedAtTheEnd) {
  StopFilter filter({"\n\n"});
  EXPECT_EQ(filter.push("end\n"), "end");
  EXPECT_EQ(filter.finish(), "\n");
  EXPECT_FALSE(filter.stopped());
}

TEST(StopFilter, StopAtTheVeryBeginning) {
  StopFilter filter({"a"});
  EXPECT_EQ(filter.push("abc"), "");
  EXPECT_TRUE(filter.stopped());
}

TEST(StopFilter, EmptyStopStringsAreNeverFound) {
  StopFilter filter({"", "z"});
  EXPECT_EQ(filter.push("abc"), "abc");
  EXPECT_FALSE(filter.stopped());
}

TEST(StopFilter, CharactersOfSeveralBytesStayWhole) {
  StopFilter filter({"é!"});
  EXPECT_EQ(filter.push("caf"), "caf");
  EXPECT_EQ(filter.push("é"), "");
  EXPECT_EQ(filter.push("s"), "és");
}

TEST(StopFilter, EveryCutOfEveryTextGivesTheSame) {
  std::mt19937 random(7);
  const auto word = [&random](int most) {
    std::string text(random() % static_cast<unsigned>(most + 1), 'a');
    for (char& c : text) c = static_cast<char>('a' + random() % 2);
    return text;
  };
  for (int round = 0; round < 3000; ++round) {
    const std::vector<std::string> stops = {word(5), word(3), word(6)};
    const std::string text = word(14);
    StopFilter filter(stops);
    std::string shown;
    for (size_t at = 0; at < text.size();) {
      const size_t size = std::min(text.size() - at, 1 + random() % 3);
      shown += filter.push(std::string_view(text).substr(at, size));
      at += size;
    }
    shown += filter.finish();
    ASSERT_EQ(shown, cut(text, stops))
        << text << " " << stops[0] << " " << stops[1] << " " << stops[2];
    ASSERT_EQ(filter.stopped(), shown != text);
  }
}

}  // namespace
}  // namespace mesita::evaluation
