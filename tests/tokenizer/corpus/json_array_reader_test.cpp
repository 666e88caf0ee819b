#include "tokenizer/corpus/json_array_reader.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/message.h"
#include "tests/tokenizer/corpus/archives.h"
#include "tests/tokenizer/corpus/read_corpus.h"
#include "tests/tokenizer/data_folder.h"

namespace mesita::corpus {
namespace {

using Texts = std::vector<std::string>;

const std::string kThree =
    "[{\"story\": \"\\n\\none ]}\\\"\\\\\", \"source\": \"GPT-4\"},\n"
    " {\"instruction\": {\"words\": [\"a\", \"]\"]}, \"text\": \"two\\n\"}\n"
    " , {\n\"story\": \"three\"\n}]\n";

TEST(JsonArrayReader, GivesElementsInOrder) {
  const auto read = testing::read_corpus("a.json", kThree);
  EXPECT_EQ(read.texts(), (Texts{"one ]}\"\\", "two", "three"}));
  EXPECT_EQ(read.documents[0].line, 1);
  EXPECT_EQ(read.documents[1].line, 2);
  EXPECT_EQ(read.documents[2].line, 3);
  EXPECT_EQ(read.documents[2].record, 2);
  EXPECT_EQ(read.documents[0].set, "");
  EXPECT_EQ(read.counts.bytes, 16);
  EXPECT_EQ(testing::read_corpus("a.json", "[]").texts(), Texts{});
  EXPECT_EQ(testing::read_corpus("a.json", "\xEF\xBB\xBF\r\n [ ] \r\n").texts(), Texts{});
}

TEST(JsonArrayReader, SkipsWhatIsNoDocument) {
  const auto read = testing::skim_corpus(
      "a.json",
      "[{\"text\":\"\"}, 7, null,\n{\"text\":\"a\"}, \"x]\", [{}], {\"text\":2}, {bad},\n"
      "{\"text\":\"b\"}]");
  EXPECT_EQ(read.texts(), (Texts{"a", "b"}));
  EXPECT_EQ(read.counts.empty, 1);
  EXPECT_EQ(read.counts.malformed, 6);
  EXPECT_EQ(read.counts.truncated, 0);
  EXPECT_EQ(read.documents.at(1).record, 8);
  EXPECT_EQ(read.documents.at(1).line, 3);
}

TEST(JsonArrayReader, SeesWrongArrays) {
  const struct {
    const char* content;
    Texts texts;
    const char* reason;
  } cases[] = {
      {"[{\"text\":\"a\"} {\"text\":\"b\"}]", {"a", "b"}, "expected , or ]"},
      {"[{\"text\":\"a\"},,{\"text\":\"b\"}]", {"a", "b"}, "is missing"},
      {"[{\"text\":\"a\"},]", {"a"}, "is missing"},
      {"[{\"text\":\"a\"}]\nx", {"a"}, "a.json:2: there are bytes behind"},
      {"[{\"text\":\"a\"}][]", {"a"}, "bytes behind"},
      {"\"text\"", {}, "expected a JSON array"},
      {"[}]", {}, "not JSON"},
      {"[{\"text\":\"\xFF\"}]", {}, "not valid UTF-8"},
  };
  for (const auto& example : cases) {
    const auto read = testing::skim_corpus("a.json", example.content);
    EXPECT_EQ(read.texts(), example.texts) << example.content;
    EXPECT_EQ(read.counts.malformed, 1) << example.content;
    EXPECT_EQ(read.counts.truncated, 0) << example.content;
    EXPECT_TRUE(testing::contains(read.reports.at(0), example.reason)) << read.reports.at(0);
    EXPECT_THROW(testing::read_corpus("a.json", example.content), std::runtime_error);
  }
}

TEST(JsonArrayReader, ACutGivesWhatStandsBefore) {
  const Texts all = testing::read_corpus("a.json", kThree).texts();
  const size_t end = kThree.rfind(']');
  for (size_t bytes = 0; bytes <= end; ++bytes) {
    const auto read = testing::skim_corpus("a.json", kThree.substr(0, bytes));
    EXPECT_TRUE(testing::is_beginning(read.texts(), all)) << bytes;
    EXPECT_EQ(read.counts.malformed, 0) << bytes;
    EXPECT_EQ(read.counts.truncated, 1) << bytes;
  }
  EXPECT_EQ(testing::skim_corpus("a.json", kThree.substr(0, end)).texts(), all);
  const std::string packed = testing::zstd_packed(kThree);
  for (size_t bytes = 0; bytes < packed.size(); ++bytes) {
    const auto read = testing::skim_corpus("a.json.zst", packed.substr(0, bytes));
    EXPECT_TRUE(testing::is_beginning(read.texts(), all)) << bytes;
    EXPECT_EQ(read.counts.truncated, 1) << bytes;
  }
}

TEST(JsonArrayReader, PassesOverElementsThatAreTooLarge) {
  const std::string large = "{\"text\":\"" + std::string(400'000, 'x') + "]\"}";
  const auto read = testing::skim_corpus("a.json", "[" + large + ",{\"text\":\"a\"}]", 1000);
  EXPECT_EQ(read.texts(), Texts{"a"});
  EXPECT_EQ(read.counts.malformed, 1);
  EXPECT_EQ(read.documents.at(0).record, 1);
  EXPECT_EQ(testing::read_corpus("a.json", "[" + large + "]").counts.bytes, 400'001);
}

TEST(JsonArrayReader, ReadsAcrossItsBuffer) {
  std::string content = "[";
  Texts expected;
  for (int i = 0; i < 3000; ++i) {
    expected.push_back(std::string(static_cast<size_t>(100 + i % 97), 'a') + "\\");
    content += std::string(i == 0 ? "" : ",\n") + "{\"text\":\"" + expected.back() + "\\\"}";
  }
  const auto read = testing::read_corpus("a.json", content + "]");
  EXPECT_EQ(read.texts(), expected);
  EXPECT_EQ(read.documents.back().line, 3000);
}

TEST(JsonArrayReader, ReadsTinyStories) {
  const std::string shard = "tinystories/data00.json";
  const std::string stories = "tinystories/tinystories-real-train.txt";
  MESITA_NEEDS_DATA(shard);
  MESITA_NEEDS_DATA(stories);
  const auto read = testing::read_corpus_file(testing::data_folder() / shard);
  EXPECT_EQ(read.documents.size(), 500);
  Texts all = testing::read_corpus_file(testing::data_folder() / stories).texts();
  std::sort(all.begin(), all.end());
  for (const std::string& text : read.texts()) {
    EXPECT_TRUE(std::binary_search(all.begin(), all.end(), text)) << text;
  }
}

}  // namespace
}  // namespace mesita::corpus
