#include "model/checkpoint/output_file.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/file_size_limit.h"
#include "tests/support/files.h"
#include "tests/support/message.h"
#include "tests/support/temporary_directory.h"

namespace mesita::checkpoint {
namespace {

using mesita::testing::contains;
using mesita::testing::message_of;
using mesita::testing::read_file;
using mesita::testing::TemporaryDirectory;

TEST(OutputFile, WritesCountsAndHashes) {
  const TemporaryDirectory folder;
  OutputFile file(folder / "a");
  file.write("a");
  file.write(std::as_bytes(std::span("bc", 2)));
  const Part part = file.finish();
  EXPECT_EQ(read_file(folder / "a"), "abc");
  EXPECT_EQ(part, (Part{3, sha256("abc")}));
}

TEST(OutputFile, EmptyFile) {
  const TemporaryDirectory folder;
  EXPECT_EQ(OutputFile(folder / "a").finish(), (Part{0, sha256("")}));
  EXPECT_TRUE(std::filesystem::exists(folder / "a"));
}

TEST(OutputFile, NeverOverwritesOrFollows) {
  const TemporaryDirectory folder;
  mesita::testing::write_file(folder / "a", "mine");
  EXPECT_THROW(OutputFile{folder / "a"}, std::runtime_error);
  std::filesystem::create_symlink(folder / "elsewhere", folder / "link");
  EXPECT_THROW(OutputFile{folder / "link"}, std::runtime_error);
  EXPECT_FALSE(std::filesystem::exists(folder / "elsewhere"));
  EXPECT_EQ(read_file(folder / "a"), "mine");
}

TEST(OutputFile, FailuresNameTheFile) {
  const TemporaryDirectory folder;
  const std::string message =
      message_of<std::runtime_error>([&] { OutputFile(folder / "none" / "a"); });
  EXPECT_TRUE(contains(message, "none/a")) << message;
  EXPECT_TRUE(contains(message, "No such file")) << message;
}

// The limit fails a write as a full disk does, after a short write.
TEST(OutputFile, AFullDiskIsAnError) {
  const TemporaryDirectory folder;
  const mesita::testing::FileSizeLimit limit(1000);
  OutputFile file(folder / "a");
  file.write(std::string(999, 'x'));
  EXPECT_THROW(file.write(std::string(2, 'x')), std::runtime_error);
}

}  // namespace
}  // namespace mesita::checkpoint
