#include "training/data/mapped_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>

#include "tests/support/temporary_directory.h"

namespace mesita::training {
namespace {

TEST(MappedFile, ShowsTheContent) {
  const testing::TemporaryDirectory folder;
  std::ofstream(folder / "file") << "abc";
  const MappedFile file(folder / "file");
  ASSERT_EQ(file.bytes().size(), 3u);
  EXPECT_EQ(file.bytes()[1], std::byte{'b'});
  std::ofstream(folder / "empty");
  EXPECT_TRUE(MappedFile(folder / "empty").bytes().empty());
}

TEST(MappedFile, RefusesWhatIsNoFile) {
  const testing::TemporaryDirectory folder;
  EXPECT_THROW(MappedFile(folder / "absent"), std::runtime_error);
  EXPECT_THROW(MappedFile(folder.path()), std::runtime_error);
  EXPECT_THROW(MappedFile("/dev/null"), std::runtime_error);
}

}  // namespace
}  // namespace mesita::training
