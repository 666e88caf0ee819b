#include "tokenizer/corpus/file_bytes.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/files.h"
#include "tests/support/message.h"
#include "tests/support/temporary_directory.h"

namespace mesita::corpus {
namespace {

TEST(FileBytes, GivesTheFileWithItsHead) {
  const testing::TemporaryDirectory folder;
  testing::write_file(folder / "a", "0123456789");
  FileBytes bytes(folder / "a");
  EXPECT_EQ(bytes.head(), "01234567");
  EXPECT_EQ(bytes.bytes_read(), 0);
  std::string part(4, '\0');
  EXPECT_EQ(bytes.read(part.data(), 4), 4);
  EXPECT_EQ(part, "0123");
  part.resize(20);
  EXPECT_EQ(bytes.read(part.data(), 20), 6);
  EXPECT_EQ(part.substr(0, 6), "456789");
  EXPECT_EQ(bytes.read(part.data(), 20), 0);
  EXPECT_EQ(bytes.bytes_read(), 10);
  testing::write_file(folder / "short", "ab");
  EXPECT_EQ(FileBytes(folder / "short").head(), "ab");
}

TEST(FileBytes, RefusesWhatIsNoFile) {
  const testing::TemporaryDirectory folder;
  EXPECT_THROW(FileBytes(folder / "absent"), std::runtime_error);
  EXPECT_THROW(FileBytes{folder.path()}, std::runtime_error);
  std::filesystem::create_symlink("../.git/annex/objects/x/y/SHA256E-s5--ab.txt", folder / "link");
  const std::string message =
      testing::message_of<std::runtime_error>([&] { FileBytes bytes(folder / "link"); });
  EXPECT_TRUE(testing::contains(message, "git annex get")) << message;
}

}  // namespace
}  // namespace mesita::corpus
