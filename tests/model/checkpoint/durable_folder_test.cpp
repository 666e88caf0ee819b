#include "model/checkpoint/durable_folder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <atomic>
#include <stdexcept>
#include <thread>

#include "model/checkpoint/folder_snapshot.h"
#include "tests/support/files.h"
#include "tests/support/message.h"
#include "tests/support/temporary_directory.h"

namespace mesita::checkpoint {
namespace {

namespace fs = std::filesystem;
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
  put(place / "t", "old");
  fs::rename(place / "t", place / ".t.previous");  // the crash came between the two renames
  { const DurableFolder next(place / "t"); }
  EXPECT_EQ(read_file(place / "t" / "file"), "old");
  put(place / ".t.previous", "older");  // the crash came after the second rename
  { const DurableFolder next(place / "t"); }
  EXPECT_EQ(read_file(place / "t" / "file"), "old");
  EXPECT_FALSE(fs::exists(place / ".t.previous"));
}

TEST(DurableFolder, TwoWritersAndTwoReadersSeeWholeFoldersOnly) {
  const TemporaryDirectory place;
  put(place / "t", "0");
  std::atomic<bool> writing = true;
  std::atomic<int> reads = 0;
  const auto read = [&] {
    while (writing || reads < 20) {
      const FolderSnapshot snapshot(place / "t", "sub");
      ASSERT_EQ(snapshot.files().size(), 2U);
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
