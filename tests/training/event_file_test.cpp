#include "training/event_file.h"

#include <gtest/gtest.h>

#include "tests/support/files.h"
#include "tests/support/temporary_directory.h"

namespace mesita::training {
namespace {

TEST(EventFile, ChecksumsAreCastagnolis) {
  // RFC 3720, appendix B.4, and the check value of the CRC catalogue.
  EXPECT_EQ(crc32c("123456789"), 0xE3069283u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAu);
  EXPECT_EQ(crc32c(std::string(32, '\xFF')), 0x62A8AB43u);
  EXPECT_EQ(crc32c(""), 0u);
}

// Written by TensorFlow's rules by hand; acceptance/clients/tensorboard_test.py reads whole files
// with TensorBoard.
TEST(EventFile, FramesItsRecords) {
  const testing::TemporaryDirectory folder;
  EventFile file(folder / "events.out.tfevents.x", 1.0);
  const std::string version = testing::read_file(folder / "events.out.tfevents.x");
  ASSERT_EQ(version.size(), 8u + 4 + 24 + 4);
  EXPECT_EQ(version.substr(0, 8), std::string("\x18\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(version.substr(12, 9), std::string("\x09\0\0\0\0\0\0\xF0\x3F", 9));
  EXPECT_EQ(version.substr(21, 15),
            "\x1A\x0D"
            "brain.Event:2");

  file.write(300, 2.0, {});
  EXPECT_EQ(testing::read_file(folder / "events.out.tfevents.x"), version);
  file.write(300, 2.0, {{"a", 0.5}});
  const std::string event = testing::read_file(folder / "events.out.tfevents.x").substr(40 + 12);
  EXPECT_EQ(event.substr(0, event.size() - 4), std::string("\x09\0\0\0\0\0\0\0\x40"
                                                           "\x10\xAC\x02"
                                                           "\x2A\x0A"
                                                           "\x0A\x08"
                                                           "\x0A\x01"
                                                           "a"
                                                           "\x15\0\0\0\x3F",
                                                           24));
}

TEST(EventFile, SaysWhenTheDiskRefuses) {
  EXPECT_THROW(EventFile("/nowhere/events", 0.0), std::runtime_error);
}

}  // namespace
}  // namespace mesita::training
