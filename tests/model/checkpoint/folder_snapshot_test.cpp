#include "model/checkpoint/folder_snapshot.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <stdexcept>

#include "tests/support/files.h"
#include "tests/support/message.h"
#include "tests/support/temporary_directory.h"

namespace mesita::checkpoint {
namespace {

namespace fs = std::filesystem;
using mesita::testing::contains;
using mesita::testing::message_of;
using mesita::testing::write_file;

class Snapshot : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_ / "sub");
    write_file(folder_ / "a", "A");
    write_file(folder_ / "sub" / "b", "B");
    write_file(folder_ / ".hidden", "");
    fs::create_directory(folder_ / ".git");
  }
  std::string message(std::string_view subfolder = "sub") {
    return message_of<std::runtime_error>([&] { FolderSnapshot(folder_.path(), subfolder); });
  }
  mesita::testing::TemporaryDirectory folder_;
};

TEST_F(Snapshot, HoldsTheVisibleFiles) {
  const FolderSnapshot snapshot(folder_.path(), "sub");
  ASSERT_EQ(snapshot.files().size(), 2U);
  EXPECT_EQ(snapshot.file("a").read_all(9), "A");
  EXPECT_EQ(snapshot.file("sub/b").read_all(9), "B");
  EXPECT_TRUE(snapshot.has("sub/b"));
  EXPECT_FALSE(snapshot.has("b"));
  EXPECT_TRUE(
      contains(message_of<std::runtime_error>([&] { snapshot.file("c"); }), "c is missing"));
}

TEST_F(Snapshot, OutlivesTheFolder) {
  const FolderSnapshot snapshot(folder_.path(), "sub");
  fs::remove_all(folder_.path());
  EXPECT_EQ(snapshot.file("sub/b").read_all(9), "B");
}

TEST_F(Snapshot, AFolderBehindALinkIsFine) {
  fs::create_directory_symlink(folder_.path(), folder_.path().string() + "-link");
  EXPECT_EQ(FolderSnapshot(folder_.path().string() + "-link", "sub").files().size(), 2U);
  fs::remove(folder_.path().string() + "-link");
}

TEST_F(Snapshot, RefusesWhatIsNotARegularFile) {
  EXPECT_TRUE(contains(message(""), "sub is a folder"));
  fs::create_directory(folder_ / "sub" / "deeper");
  EXPECT_TRUE(contains(message(), "sub/deeper is a folder"));
  fs::remove(folder_ / "sub" / "deeper");
  fs::create_symlink(folder_ / "a", folder_ / "link");
  EXPECT_TRUE(contains(message(), "link is a symbolic link"));
  fs::remove(folder_ / "link");
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_TRUE(contains(message(), "pipe is a device or pipe"));
  fs::remove(folder_ / "pipe");
  fs::remove_all(folder_ / "sub");
  write_file(folder_ / "sub", "");
  EXPECT_TRUE(contains(message(), "sub is not a folder"));
  fs::remove(folder_ / "sub");
  fs::create_directory_symlink(folder_.path(), folder_ / "sub");
  EXPECT_TRUE(contains(message(), "sub is not a folder"));
}

TEST_F(Snapshot, MissingFoldersAndTooManyFiles) {
  EXPECT_TRUE(
      contains(message_of<std::runtime_error>([&] { FolderSnapshot(folder_ / "none", ""); }),
               "No such file"));
  EXPECT_THROW(FolderSnapshot(folder_ / "a", ""), std::runtime_error);
  EXPECT_THROW(FolderSnapshot("", ""), std::runtime_error);
  for (int i = 0; i < 100; ++i) write_file(folder_ / ("f" + std::to_string(i)), "");
  EXPECT_TRUE(contains(message(), "more than 100"));
}

}  // namespace
}  // namespace mesita::checkpoint
