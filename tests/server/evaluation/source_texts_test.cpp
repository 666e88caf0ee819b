#include "server/evaluation/source_texts.h"

#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>

#include "tests/support/temporary_directory.h"

namespace mesita::evaluation {
namespace {

class SourceTextsTest : public ::testing::Test {
 protected:
  std::filesystem::path file(const std::string& name, const std::string& content) {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return folder_ / name;
  }
  const testing::TemporaryDirectory folder_;
};

TEST_F(SourceTextsTest, DocumentsOfFilesInOrderWithTheirLines) {
  const auto stories = file("s.txt", "one\n<|endoftext|>\ntwo\nlines\n<|endoftext|>\n");
  const auto plain = file("p.txt", "\nplain <|endoftext|> text\n");
  const std::vector<SourceText> texts = read_source_texts({stories, plain});
  ASSERT_EQ(texts.size(), 3U);
  EXPECT_EQ(texts[0].text, "one");
  EXPECT_EQ(texts[0].origin, stories.string() + ":1");
  EXPECT_EQ(texts[1].text, "two\nlines");
  EXPECT_EQ(texts[1].origin, stories.string() + ":3");
  EXPECT_EQ(texts[2].text, "plain <|endoftext|> text");
  EXPECT_EQ(texts[2].origin, plain.string() + ":2");
}

TEST_F(SourceTextsTest, TakesAllFormatsOfDocuments) {
  const auto lines = file("a.jsonl", "\n{\"text\":\"one\"}\n");
  const auto array = file("b.json", "[{\"story\":\"two\"},\n{\"story\":\"three\"}]");
  const std::vector<SourceText> texts = read_source_texts({lines, array});
  ASSERT_EQ(texts.size(), 3U);
  EXPECT_EQ(texts[0].text, "one");
  EXPECT_EQ(texts[0].origin, lines.string() + ":2");
  EXPECT_EQ(texts[2].text, "three");
  EXPECT_EQ(texts[2].origin, array.string() + ":2");
  EXPECT_THROW(read_source_texts({file("c.parquet", "PAR1")}), std::invalid_argument);
}

TEST_F(SourceTextsTest, LimitCountsOverAllFiles) {
  const auto stories = file("s.txt", "one\n<|endoftext|>\ntwo\n");
  const auto plain = file("p.txt", "three");
  EXPECT_EQ(read_source_texts({stories, plain}, 1).size(), 1U);
  EXPECT_EQ(read_source_texts({plain, stories}, 2).at(1).text, "one");
  EXPECT_EQ(read_source_texts({stories, plain}, 9).size(), 3U);
}

TEST_F(SourceTextsTest, FilesThatCannotBeScored) {
  EXPECT_THROW(read_source_texts({folder_ / "absent.txt"}), std::runtime_error);
  EXPECT_THROW(read_source_texts({folder_.path()}), std::runtime_error);
  EXPECT_THROW(read_source_texts({file("bad.txt", "a\xFFz")}), std::runtime_error);
  EXPECT_THROW(read_source_texts({file("empty.txt", "")}), std::runtime_error);
  EXPECT_THROW(read_source_texts({file("blank.txt", " \n<|endoftext|>\n\n")}), std::runtime_error);
  EXPECT_THROW(read_source_texts({}), std::runtime_error);
}

}  // namespace
}  // namespace mesita::evaluation
