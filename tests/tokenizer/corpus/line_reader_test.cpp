#include "tokenizer/corpus/line_reader.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/files.h"
#include "tests/support/temporary_directory.h"

namespace mesita::corpus {
namespace {

using Lines = std::vector<std::string>;

Lines lines(const std::string& content, size_t longest = 1000) {
  const testing::TemporaryDirectory folder;
  testing::write_file(folder / "a", content);
  const auto source = open_bytes(folder / "a");
  LineReader reader(*source, longest);
  Lines result;
  for (auto kind = reader.next(); kind != LineReader::Result::end; kind = reader.next()) {
    const bool large = kind == LineReader::Result::too_long;
    result.push_back(std::to_string(reader.number()) + (reader.closed() ? ":" : "?") +
                     (large ? "too long" : reader.text()));
  }
  return result;
}

TEST(LineReader, DividesAtLineFeeds) {
  EXPECT_EQ(lines(""), Lines{});
  EXPECT_EQ(lines("a"), Lines{"1?a"});
  EXPECT_EQ(lines("a\n"), Lines{"1:a"});
  EXPECT_EQ(lines("\n\na\n\nb"), (Lines{"1:", "2:", "3:a", "4:", "5?b"}));
  EXPECT_EQ(lines("a\r\nb\rc\r\n\r\nd\r"), (Lines{"1:a", "2:b\rc", "3:", "4?d\r"}));
}

TEST(LineReader, DropsTheByteOrderMark) {
  EXPECT_EQ(lines("\xEF\xBB\xBFone\n\xEF\xBB\xBFtwo"), (Lines{"1:one", "2?\xEF\xBB\xBFtwo"}));
  EXPECT_EQ(lines("\xEF\xBB\xBF"), Lines{});
}

TEST(LineReader, PassesOverLinesThatAreTooLong) {
  EXPECT_EQ(lines("123\n1234\n123456789\n12", 3),
            (Lines{"1:123", "2?too long", "3?too long", "4?12"}));
  EXPECT_EQ(lines("1234", 3), (Lines{"1?too long"}));
  EXPECT_EQ(lines(std::string(600'000, 'x') + "\ny\n", 3), (Lines{"1?too long", "2:y"}));
}

TEST(LineReader, HoldsNoEndlessLine) {
  const auto source = open_bytes("/dev/zero");
  EXPECT_EQ(LineReader(*source, 1'000'000).next(), LineReader::Result::too_long);
}

TEST(LineReader, ReadsAcrossItsBuffer) {
  std::string content;
  Lines expected;
  for (size_t i = 1; i <= 40; ++i) {
    const std::string line(20'000 + i, static_cast<char>('a' + i % 26));
    expected.push_back(std::to_string(i) + ":" + line);
    content += line + "\n";
  }
  EXPECT_EQ(lines(content, 30'000), expected);
}

}  // namespace
}  // namespace mesita::corpus
