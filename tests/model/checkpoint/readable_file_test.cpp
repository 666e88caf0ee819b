#include "model/checkpoint/readable_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <stdexcept>

#include "tests/support/files.h"
#include "tests/support/message.h"
#include "tests/support/temporary_directory.h"

namespace mesita::checkpoint {
namespace {

using mesita::testing::contains;
using mesita::testing::message_of;
using mesita::testing::TemporaryDirectory;
using mesita::testing::write_file;

TEST(ReadableFile, ReadsByPosition) {
  const TemporaryDirectory folder;
  write_file(folder / "a", std::string("01234\0 6789", 11));
  const ReadableFile file(folder / "a");
  EXPECT_EQ(file.size(), 11U);
  EXPECT_EQ(file.name(), (folder / "a").string());
  std::array<char, 4> bytes = {};
  file.read(7, std::as_writable_bytes(std::span(bytes)));
  EXPECT_EQ(std::string(bytes.begin(), bytes.end()), "6789");
  file.read(0, std::as_writable_bytes(std::span(bytes)));
  EXPECT_EQ(std::string(bytes.begin(), bytes.end()), "0123");
  EXPECT_EQ(file.read_all(11), std::string("01234\0 6789", 11));
}

TEST(ReadableFile, StaysReadableWhenItsNameIsGone) {
  const TemporaryDirectory folder;
  write_file(folder / "a", "old");
  const ReadableFile file(folder / "a");
  std::filesystem::remove(folder / "a");
  write_file(folder / "a", "new");
  EXPECT_EQ(file.read_all(3), "old");
}

TEST(ReadableFile, EndsAndLimitsAreErrors) {
  const TemporaryDirectory folder;
  write_file(folder / "a", "0123456789");
  const ReadableFile file(folder / "a");
  std::array<std::byte, 4> bytes = {};
  EXPECT_TRUE(contains(message_of<std::runtime_error>([&] { file.read(7, bytes); }), "cut off"));
  EXPECT_THROW(file.read(1000, bytes), std::runtime_error);
  EXPECT_TRUE(contains(message_of<std::runtime_error>([&] { file.read_all(9); }), "10 bytes"));
  // Cut while it is open.
  std::filesystem::resize_file(folder / "a", 5);
  EXPECT_THROW(file.read_all(10), std::runtime_error);
}

TEST(ReadableFile, OnlyRegularFiles) {
  const TemporaryDirectory folder;
  EXPECT_TRUE(contains(message_of<std::runtime_error>([&] { ReadableFile(folder / "none"); }),
                       "No such file"));
  EXPECT_THROW(ReadableFile{folder.path()}, std::runtime_error);
  EXPECT_THROW(ReadableFile{"/dev/null"}, std::runtime_error);
  // Without a writer, a pipe must be refused and not waited for.
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_THROW(ReadableFile{folder / "pipe"}, std::runtime_error);
}

}  // namespace
}  // namespace mesita::checkpoint
