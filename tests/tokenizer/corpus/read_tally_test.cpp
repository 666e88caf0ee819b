#include "tokenizer/corpus/read_tally.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "tests/support/message.h"

namespace mesita::corpus {
namespace {

TEST(ReadTally, FailsWithFileAndLine) {
  ReadTally tally("a.txt", {});
  EXPECT_EQ(testing::message_of<std::runtime_error>([&] { tally.add_malformed(7, "is odd"); }),
            "a.txt:7: is odd");
  EXPECT_TRUE(testing::contains(
      testing::message_of<std::runtime_error>([&] { tally.add_truncated(8, "byte 3"); }),
      "a.txt:8:"));
}

TEST(ReadTally, ReportsAndCounts) {
  std::vector<std::string> heard;
  ReadTally tally("a.txt", {.malformed = Malformed::skip,
                            .largest = 5,
                            .report = [&](const std::string& line) { heard.push_back(line); }});
  tally.add_document({.text = "four", .set = "", .line = 1, .record = 0});
  tally.add_empty();
  tally.add_malformed(2, tally.too_large());
  tally.add_truncated(3, "cut");
  EXPECT_EQ(heard.size(), 2);
  EXPECT_EQ(heard.at(0), "a.txt:2: the document has more than 5 bytes");
  EXPECT_EQ(tally.counts().documents, 1);
  EXPECT_EQ(tally.counts().bytes, 4);
  EXPECT_EQ(tally.counts().empty, 1);
  EXPECT_EQ(tally.counts().malformed, 1);
  EXPECT_EQ(tally.counts().truncated, 1);
}

}  // namespace
}  // namespace mesita::corpus
