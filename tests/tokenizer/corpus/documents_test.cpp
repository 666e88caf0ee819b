#include "tokenizer/corpus/documents.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/message.h"
#include "tests/tokenizer/corpus/archives.h"
#include "tests/tokenizer/corpus/read_corpus.h"

namespace mesita::corpus {
namespace {

using Texts = std::vector<std::string>;

TEST(Documents, OpensEveryFormatByItsName) {
  const std::string story = "one\n<|endoftext|>\ntwo\n";
  const std::string lines = "{\"text\":\"one\"}\n{\"text\":\"two\"}\n";
  const std::string array = "[{\"story\":\"one\"},{\"story\":\"two\"}]";
  const struct {
    const char* name;
    const std::string& content;
  } cases[] = {{"a.txt", story},    {"a.md", story},    {"a", story},      {"a.jsonl", lines},
               {"a.ndjson", lines}, {"A.JSONL", lines}, {"a.json", array}, {"a.json", lines}};
  for (const auto& example : cases) {
    const std::string name = example.name;
    const std::string& content = example.content;
    EXPECT_EQ(testing::read_corpus(name, content).texts(), (Texts{"one", "two"})) << name;
    for (const char* packing : {"", ".zst", ".gz"}) {
      // Whatever the name says.
      for (const std::string& packed :
           {content, testing::zstd_packed(content), testing::gzip_packed(content)}) {
        const auto read = testing::read_corpus(name + packing, packed);
        EXPECT_EQ(read.texts(), (Texts{"one", "two"})) << name << packing;
        EXPECT_EQ(read.bytes_read, packed.size());
      }
    }
  }
}

TEST(Documents, RefusesWhatHoldsNone) {
  const testing::TemporaryDirectory folder;
  for (const char* name : {"a.parquet", "a.tar.gz", "a.bin", "a.npy", "a.jsonl.xz", "a.zip"}) {
    testing::write_file(folder / name, "[]");
    EXPECT_THROW(open_documents(folder / name), std::invalid_argument) << name;
  }
  testing::write_file(folder / "a.jsonl", "version https://git-lfs.github.com/spec/v1\noid x\n");
  EXPECT_THROW(open_documents(folder / "a.jsonl"), std::runtime_error);
  EXPECT_THROW(open_documents(folder / "absent.txt"), std::runtime_error);
  EXPECT_THROW(open_documents(folder.path()), std::runtime_error);
}

TEST(Documents, EmptyFilesAndArchives) {
  for (const char* name : {"a.txt", "a.jsonl"}) {
    EXPECT_EQ(testing::read_corpus(name, "").texts(), Texts{});
    EXPECT_EQ(testing::read_corpus(name, testing::zstd_packed("")).texts(), Texts{});
    EXPECT_EQ(testing::read_corpus(name, testing::gzip_packed("")).texts(), Texts{});
  }
  EXPECT_EQ(testing::skim_corpus("a.json", "").counts.truncated, 1);
  EXPECT_EQ(testing::skim_corpus("a.jsonl.zst", "").counts.truncated, 1);
}

TEST(Documents, PassesOnWhatToDoWithMalformedOnes) {
  EXPECT_THROW(testing::read_corpus("a.txt", "\xFF\n"), std::runtime_error);
  const auto read = testing::skim_corpus("a.txt", "\xFF\n");
  EXPECT_EQ(read.counts.malformed, 1);
  EXPECT_EQ(read.reports.size(), 1);
}

}  // namespace
}  // namespace mesita::corpus
