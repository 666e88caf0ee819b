#include "model/checkpoint/durable_folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <stdexcept>
#include <thread>

#include "model/checkpoint/folder_snapshot.h"
#include "tests/support/files.h"
#include "tests/support/message.h"
#include "tests/support/temporary_directory.h"

namespace {
std::atomic<ino_t> unsyncable = 0;  // the file with this number cannot be made durable
}  // namespace

// Takes the C library's place in this program: no disk fails on demand.
extern "C" int fsync(int file) {
  struct stat status = {};
  if (unsyncable != 0 && ::fstat(file, &status) == 0 && status.st_ino == unsyncable) {
    errno = EIO;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_fsync, file));
}

namespace mesita::checkpoint {
namespace {

namespace fs = std::filesystem;
using mesita::testing::message_of;
using mesita::testing::read_file;
using mesita::testing::TemporaryDirectory;
using mesita::testing::write_file;

size_t entries(const fs::path& folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder), {}));
}

void put(const fs::path& target, const std::string& content,
         Replacement replacement = Replacement::exchange) {
  DurableFolder folder(target);
  fs::create_directory(folder.path() / "sub");
  write_file(folder.path() / "file", content);
  write_file(folder.path() / "sub" / "file", content);
  write_file(folder.path() / "manifest.json", content);
  folder.commit(replacement);
}

class BothReplacements : public ::testing::TestWithParam<Replacement> {
 protected:
  TemporaryDirectory place_;
};

TEST_P(BothReplacements, CreatesAndReplaces) {
  put(place_ / "a" / "b" / "c", "1", GetParam());
  EXPECT_EQ(read_file(place_ / "a" / "b" / "c" / "file"), "1");
  write_file(place_ / "a" / "b" / "c" / "only in the old one", "");
  put(place_ / "a" / "b" / "c", "2", GetParam());
  EXPECT_EQ(read_file(place_ / "a" / "b" / "c" / "sub" / "file"), "2");
  EXPECT_FALSE(fs::exists(place_ / "a" / "b" / "c" / "only in the old one"));
  EXPECT_EQ(entries(place_ / "a" / "b"), 1U) << "nothing is left beside it";
}

TEST_P(BothReplacements, TheOldFolderStaysWhenTheNewOneCannotBeMadeDurable) {
  put(place_ / "t", "old", GetParam());
  struct stat status = {};
  ASSERT_EQ(::stat(place_.path().c_str(), &status), 0);
  unsyncable = status.st_ino;
  const std::string message =
      message_of<std::runtime_error>([&] { put(place_ / "t", "new", GetParam()); });
  unsyncable = 0;
  const std::string before_name = "the old folder is kept as ";
  ASSERT_TRUE(mesita::testing::contains(message, before_name)) << message;
  const fs::path kept = message.substr(message.find(before_name) + before_name.size());
  EXPECT_EQ(read_file(kept / "sub" / "file"), "old");
  EXPECT_EQ(read_file(place_ / "t" / "sub" / "file"), "new");
  put(place_ / "t", "next", GetParam());
  EXPECT_EQ(entries(place_.path()), 1U);
}

TEST_P(BothReplacements, WritersAtOnceAllSucceed) {
  const auto write = [&](int first) {
    for (int i = first; i < 200; i += 2) {
      EXPECT_NO_THROW(put(place_ / "t", std::to_string(i), GetParam()));
    }
  };
  std::thread writer(write, 0);
  write(1);
  writer.join();
  put(place_ / "t", "last", GetParam());
  EXPECT_EQ(read_file(place_ / "t" / "sub" / "file"), "last");
  EXPECT_EQ(entries(place_.path()), 1U);
}

INSTANTIATE_TEST_SUITE_P(Each, BothReplacements,
                         ::testing::Values(Replacement::exchange, Replacement::two_steps),
                         [](const auto& replacement) {
                           return replacement.param == Replacement::exchange ? "exchange"
                                                                             : "two_steps";
                         });

TEST(DurableFolder, WithoutCommitNothingHappens) {
  const TemporaryDirectory place;
  put(place / "t", "old");
  {
    DurableFolder folder(place / "t");
    write_file(folder.path() / "file", "new");
    EXPECT_EQ(entries(place.path()), 2U);
  }
  EXPECT_EQ(read_file(place / "t" / "file"), "old");
  EXPECT_EQ(entries(place.path()), 1U);
}

TEST(DurableFolder, NamesOfTheTarget) {
  const TemporaryDirectory place;
  put(place.path().string() + "/t/", "slash");
  EXPECT_EQ(read_file(place / "t" / "file"), "slash");
  put(place / "x" / ".." / "t" / ".", "dots");
  EXPECT_EQ(read_file(place / "t" / "file"), "dots");
  fs::create_directory_symlink(place / "t", place / "link");
  put(place / "link", "through the link");
  EXPECT_EQ(read_file(place / "t" / "file"), "through the link");
  EXPECT_TRUE(fs::is_symlink(place / "link"));
  write_file(place / "file", "");
  EXPECT_THROW(DurableFolder(place / "file"), std::invalid_argument);
  EXPECT_THROW(DurableFolder("/"), std::invalid_argument);
}

TEST(DurableFolder, AnImpossiblePlaceIsAnError) {
  const TemporaryDirectory place;
  write_file(place / "file", "");
  EXPECT_THROW(DurableFolder(place / "file" / "t"), std::runtime_error);
  EXPECT_THROW(DurableFolder(place / std::string(250, 'n')), std::runtime_error);
}

TEST(DurableFolder, AFailedCommitLeavesTheOldFolder) {
  const TemporaryDirectory place;
  put(place / "t", "old");
  DurableFolder folder(place / "t");
  fs::remove_all(folder.path());
  EXPECT_THROW(folder.commit(), std::exception);
  EXPECT_EQ(read_file(place / "t" / "file"), "old");
}

// What a killed writer leaves is removed; what a living one fills is not.
TEST(DurableFolder, LeftoversAreRemovedAndLivingWritersKept) {
  const TemporaryDirectory place;
  DurableFolder living(place / "t");
  write_file(living.path() / "file", "living");
  write_file(living.path() / "manifest.json", "");
  const pid_t child = ::fork();
  if (child == 0) {
    DurableFolder killed(place / "t");
    write_file(killed.path() / "file", "killed");
    ::_exit(0);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  fs::create_directory(place / ".other.mesita-1-1");
  EXPECT_EQ(entries(place.path()), 3U);
  put(place / "t", "third");
  EXPECT_EQ(entries(place.path()), 3U);  // t, living, the other target's
  living.commit();
  EXPECT_EQ(read_file(place / "t" / "file"), "living");
  EXPECT_EQ(entries(place.path()), 2U);
}

TEST(DurableFolder, AnInterruptedReplacementInTwoStepsIsPutBack) {
  const TemporaryDirectory place;
  const fs::path previous = place / ".t.mesita-1-2-previous";
  put(place / "t", "old");
  fs::rename(place / "t", previous);  // the crash came between the two renames
  { const DurableFolder next(place / "t"); }
  EXPECT_EQ(read_file(place / "t" / "file"), "old");
  put(previous, "older");  // the crash came after the second rename
  { const DurableFolder next(place / "t"); }
  EXPECT_EQ(read_file(place / "t" / "file"), "old");
  EXPECT_FALSE(fs::exists(previous));
}

TEST(DurableFolder, OnlyItsOwnDeadLeftoversAreTouched) {
  const TemporaryDirectory place;
  put(place / "t", "old");
  fs::create_directory(place / ".t.previous");  // somebody's own
  write_file(place / ".t.previous" / "manifest.json", "");
  const fs::path foreign = place / ".t.mesita-1-1-previous";  // no checkpoint
  fs::create_directory(foreign);
  write_file(foreign / "photo", "");
  const fs::path living = place / ".t.mesita-1-2-previous";
  fs::create_directory(living);
  write_file(living / "manifest.json", "");
  const FileDescriptor owner(::open(living.c_str(), O_RDONLY | O_DIRECTORY));
  ASSERT_EQ(::flock(owner.get(), LOCK_EX), 0);
  put(place / "t", "new");
  fs::remove_all(place / "t");  // also when it could be put back, as between its owner's steps
  { const DurableFolder next(place / "t"); }
  EXPECT_TRUE(fs::exists(living / "manifest.json"));
  EXPECT_TRUE(fs::exists(place / ".t.previous" / "manifest.json"));
  EXPECT_TRUE(fs::exists(foreign / "photo"));
}

TEST(DurableFolder, TwoWritersAndTwoReadersSeeWholeFoldersOnly) {
  const TemporaryDirectory place;
  put(place / "t", "0");
  std::atomic<bool> writing = true;
  std::atomic<int> reads = 0;
  const auto read = [&] {
    while (writing || reads < 20) {
      const FolderSnapshot snapshot(place / "t", "sub");
      ASSERT_EQ(snapshot.files().size(), 3U);
      ASSERT_EQ(snapshot.file("file").read_all(9), snapshot.file("sub/file").read_all(9));
      ++reads;
    }
  };
  std::thread reader1(read);
  std::thread reader2(read);
  const auto write = [&](int first) {
    for (int i = first; i < 100; i += 2) put(place / "t", std::to_string(i));
  };
  std::thread writer(write, 0);
  write(1);
  writer.join();
  writing = false;
  reader1.join();
  reader2.join();
  EXPECT_EQ(entries(place.path()), 1U);
}

}  // namespace
}  // namespace mesita::checkpoint
