#include "tokenizer/corpus/byte_source.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/files.h"
#include "tests/support/message.h"
#include "tests/support/temporary_directory.h"
#include "tests/tokenizer/corpus/archives.h"
#include "tests/tokenizer/corpus/read_bytes.h"

namespace mesita::corpus {
namespace {

TEST(ByteSource, IsChosenByContentNotByName) {
  const testing::TemporaryDirectory folder;
  for (const char* name : {"a.txt", "a.zst", "a.gz", "a"}) {
    for (const std::string& content :
         {std::string("plain text"), testing::zstd_packed("plain text"),
          testing::gzip_packed("plain text")}) {
      testing::write_file(folder / name, content);
      const auto source = open_bytes(folder / name);
      EXPECT_EQ(testing::read_all(*source), "plain text") << name;
      EXPECT_EQ(source->damage(), "");
      EXPECT_EQ(source->bytes_read(), content.size());
      EXPECT_EQ(source->file(), folder / name);
    }
  }
}

TEST(ByteSource, PeeksWithoutTaking) {
  const testing::TemporaryDirectory folder;
  testing::write_file(folder / "a", "0123456789");
  const auto source = open_bytes(folder / "a");
  EXPECT_EQ(source->peek(4), "0123");
  EXPECT_EQ(source->peek(2), "01");
  EXPECT_EQ(source->peek(99), "0123456789");
  EXPECT_EQ(testing::read_all(*source, 3), "0123456789");
}

TEST(ByteSource, AnArchiveCutInItsFirstBytesIsTruncated) {
  const testing::TemporaryDirectory folder;
  for (const char* name : {"a.zst", "a.gz"}) {
    const std::string packed =
        std::string(name) == "a.gz" ? testing::gzip_packed("x") : testing::zstd_packed("x");
    for (size_t bytes = 0; bytes < 4; ++bytes) {
      testing::write_file(folder / name, packed.substr(0, bytes));
      const auto source = open_bytes(folder / name);
      EXPECT_EQ(testing::read_all(*source), "");
      EXPECT_TRUE(testing::contains(source->damage(), "byte " + std::to_string(bytes)))
          << source->damage();
    }
  }
  testing::write_file(folder / "a.txt", "");
  EXPECT_EQ(open_bytes(folder / "a.txt")->damage(), "");
}

}  // namespace
}  // namespace mesita::corpus
