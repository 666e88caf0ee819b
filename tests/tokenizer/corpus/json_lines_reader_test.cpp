#include "tokenizer/corpus/json_lines_reader.h"

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
    "{\"text\": \"one\", \"meta\": {\"pile_set_name\": \"Pile-CC\"}}\n"
    "{\"meta\": {\"pile_set_name\": \"ArXiv\"}, \"text\": \"two \xC3\xA9\"}\n"
    "{\"text\": \"three\\n\"}\n";

TEST(JsonLinesReader, GivesTextsSetsAndPlaces) {
  const auto read = testing::read_corpus("a.jsonl", "\n" + kThree);
  ASSERT_EQ(read.texts(), (Texts{"one", "two \xC3\xA9", "three\n"}));
  EXPECT_EQ(read.documents[0].set, "Pile-CC");
  EXPECT_EQ(read.documents[1].set, "ArXiv");
  EXPECT_EQ(read.documents[2].set, "");
  EXPECT_EQ(read.documents[2].line, 4);
  EXPECT_EQ(read.documents[2].record, 2);
  EXPECT_EQ(read.counts.documents, 3);
  EXPECT_EQ(read.counts.bytes, 15);
  EXPECT_EQ(read.bytes_read, kThree.size() + 1);
}

TEST(JsonLinesReader, TakesAnyLineEnds) {
  EXPECT_EQ(testing::read_corpus("a.jsonl", "\xEF\xBB\xBF{\"text\":\"a\"}\r\n \r\n{\"text\":\"b\"}")
                .texts(),
            (Texts{"a", "b"}));
  EXPECT_EQ(testing::read_corpus("a.ndjson", "").texts(), Texts{});
  EXPECT_EQ(testing::read_corpus("a.ndjson", "\n \n").counts.malformed, 0);
}

TEST(JsonLinesReader, DropsEmptyAndSkipsMalformed) {
  const std::string content =
      "{\"text\":\"\"}\n{\"text\":\"a\"}\nno json\n{\"text\":7}\n{\"text\":\"\xFF\"}\n"
      "{\"text\":\"" +
      std::string(2000, 'x') + "\"}\n{\"text\":\"" + std::string(90'000, 'x') +
      "\"}\n{\"text\":\"b\"}\n";
  const auto read = testing::skim_corpus("a.jsonl", content, 1000);
  EXPECT_EQ(read.texts(), (Texts{"a", "b"}));
  EXPECT_EQ(read.counts.empty, 1);
  EXPECT_EQ(read.counts.malformed, 5);
  EXPECT_EQ(read.counts.truncated, 0);
  EXPECT_EQ(read.documents.at(1).record, 7);
  EXPECT_EQ(read.documents.at(1).line, 8);
  ASSERT_EQ(read.reports.size(), 5);
  EXPECT_TRUE(testing::contains(read.reports[0], "a.jsonl:3: not JSON")) << read.reports[0];
  EXPECT_TRUE(testing::contains(read.reports[3], "a.jsonl:6: the document has more than 1000"));
  EXPECT_TRUE(testing::contains(read.reports[4], "a.jsonl:7: the document has more than 1000"));
  const std::string message =
      testing::message_of<std::runtime_error>([&] { testing::read_corpus("a.jsonl", content); });
  EXPECT_TRUE(testing::contains(message, "a.jsonl:3: not JSON")) << message;
}

TEST(JsonLinesReader, ACutGivesWhatStandsBefore) {
  const Texts all = testing::read_corpus("a.jsonl", kThree).texts();
  for (size_t bytes = 0; bytes <= kThree.size(); ++bytes) {
    const std::string cut = kThree.substr(0, bytes);
    const auto read = testing::skim_corpus("a.jsonl", cut);
    EXPECT_TRUE(testing::is_beginning(read.texts(), all)) << bytes;
    const auto whole = static_cast<size_t>(std::count(cut.begin(), cut.end(), '\n'));
    EXPECT_GE(read.texts().size(), whole) << bytes;
    EXPECT_EQ(read.counts.malformed, 0) << bytes;
    // Either the last line is whole or it is told.
    const bool inside = !cut.empty() && cut.back() != '\n' && cut.back() != '}';
    if (inside) {
      EXPECT_EQ(read.counts.truncated, 1) << bytes;
    }
  }
}

TEST(JsonLinesReader, ACutArchiveGivesWhatStandsBefore) {
  const Texts all = testing::read_corpus("a.jsonl", kThree).texts();
  const std::string half = kThree.substr(0, 70);
  const std::string rest = kThree.substr(70);
  for (const bool zstd : {true, false}) {
    const auto pack = zstd ? [](const std::string& text) { return testing::zstd_packed(text); }
                           : [](const std::string& text) { return testing::gzip_packed(text); };
    const std::string first = pack(half);
    const std::string packed = first + pack(rest);
    for (size_t bytes = 0; bytes < packed.size(); ++bytes) {
      const auto read =
          testing::skim_corpus(zstd ? "a.jsonl.zst" : "a.jsonl.gz", packed.substr(0, bytes));
      EXPECT_TRUE(testing::is_beginning(read.texts(), all)) << bytes;
      if (bytes >= first.size()) {
        EXPECT_GE(read.texts().size(), 1) << bytes;
      }
      EXPECT_EQ(read.counts.malformed, 0) << bytes;
      EXPECT_EQ(read.counts.truncated, 1) << bytes;
    }
    EXPECT_EQ(testing::read_corpus("a.jsonl", packed).texts(), all);
  }
}

TEST(JsonLinesReader, FailsBehindTheLastWholeRecord) {
  const testing::TemporaryDirectory folder;
  const std::string packed = testing::zstd_packed(kThree) + testing::zstd_packed("more");
  testing::write_file(folder / "a.jsonl.zst", packed.substr(0, packed.size() - 3));
  const auto reader = open_documents(folder / "a.jsonl.zst");
  Document document;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(reader->next(document));
  const std::string message =
      testing::message_of<std::runtime_error>([&] { reader->next(document); });
  EXPECT_TRUE(testing::contains(message, "a.jsonl.zst:4: truncated")) << message;
  EXPECT_TRUE(testing::contains(message, "byte " + std::to_string(packed.size() - 3))) << message;
  EXPECT_FALSE(reader->next(document)) << "told once";
}

TEST(JsonLinesReader, FlippedBitsInventNothingUnseen) {
  const std::string packed = testing::zstd_packed(kThree);
  const Texts all = testing::read_corpus("a.jsonl", kThree).texts();
  for (size_t bit = 0; bit < packed.size() * 8; ++bit) {
    std::string damaged = packed;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    const auto read = testing::skim_corpus("a.jsonl.zst", damaged);
    EXPECT_TRUE(read.texts() == all || read.counts.truncated + read.counts.malformed > 0) << bit;
  }
}

TEST(JsonLinesReader, ReadsThePileLikeSample) {
  const std::string name = "pile-like/pile_like_sample.jsonl";
  MESITA_NEEDS_DATA(name);
  const auto plain = testing::read_corpus_file(testing::data_folder() / name);
  const auto packed = testing::read_corpus_file(testing::data_folder() / (name + ".zst"));
  EXPECT_GT(plain.documents.size(), 100);
  ASSERT_EQ(plain.texts(), packed.texts());
  std::vector<std::string> sets;
  for (size_t i = 0; i < plain.documents.size(); ++i) {
    EXPECT_EQ(plain.documents[i].set, packed.documents[i].set);
    EXPECT_EQ(plain.documents[i].line, packed.documents[i].line);
    sets.push_back(plain.documents[i].set);
  }
  std::sort(sets.begin(), sets.end());
  sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
  EXPECT_GE(sets.size(), 5);
  EXPECT_GT(plain.counts.empty, 0);
}

}  // namespace
}  // namespace mesita::corpus
