#include "tokenizer/corpus/foreign_formats.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/files.h"
#include "tests/support/message.h"
#include "tests/support/temporary_directory.h"
#include "tests/tokenizer/corpus/archives.h"

namespace mesita::corpus {
namespace {

template <class Error>
std::string refusal(const std::string& content, const std::string& ending) {
  const testing::TemporaryDirectory folder;
  testing::write_file(folder / "a", content);
  return testing::message_of<Error>([&] {
    const auto source = open_bytes(folder / "a");
    refuse_foreign_formats(*source, ending);
  });
}

TEST(ForeignFormats, AreKnownByTheirFirstBytes) {
  std::string tar(600, '\0');
  tar.replace(257, 5, "ustar");
  const struct {
    std::string content;
    const char* what;
  } cases[] = {{"PAR1....", "pandas"},
               {std::string("ARROW1\0\0", 8), "Arrow"},
               {tar, "tar archive"},
               {testing::gzip_packed(tar), "tar archive"},
               {testing::zstd_packed(tar), "tar archive"},
               {"PK\x03\x04xx", "zip"},
               {std::string("\xFD"
                            "7zXZ\0x",
                            7),
                "xz -d"},
               {"BZh91AY&SYxx", "bzip2 -d"},
               {"\x93NUMPY\x01", "token ids"},
               {std::string("MMIDIDX\0\0", 9), "token ids"},
               {testing::zstd_packed(testing::gzip_packed("x")), "packed twice"}};
  for (const auto& example : cases) {
    const std::string message = refusal<std::invalid_argument>(example.content, ".txt");
    EXPECT_TRUE(testing::contains(message, example.what)) << message;
  }
}

TEST(ForeignFormats, AreKnownByTheirNames) {
  for (const char* ending : {".parquet", ".arrow", ".tar", ".tgz", ".zip", ".xz", ".bz2", ".bin",
                             ".idx", ".npy", ".npz"}) {
    EXPECT_NE(refusal<std::invalid_argument>("anything", ending), "") << ending;
  }
}

TEST(ForeignFormats, PointersAreNamed) {
  const std::string lfs =
      "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n";
  EXPECT_TRUE(testing::contains(refusal<std::runtime_error>(lfs, ".jsonl"), "git lfs pull"));
  EXPECT_TRUE(testing::contains(refusal<std::runtime_error>(lfs, ".parquet"), "git lfs pull"));
  const std::string annex = "/annex/objects/SHA256E-s12--ab.txt\n";
  EXPECT_TRUE(testing::contains(refusal<std::runtime_error>(annex, ".txt"), "git annex get"));
}

TEST(ForeignFormats, TextsPass) {
  const testing::TemporaryDirectory folder;
  for (const char* content : {"", "P", "BZh is a word", "version 2 of a text", "PAR"}) {
    testing::write_file(folder / "a", content);
    const auto source = open_bytes(folder / "a");
    EXPECT_NO_THROW(refuse_foreign_formats(*source, ".txt")) << content;
  }
}

}  // namespace
}  // namespace mesita::corpus
