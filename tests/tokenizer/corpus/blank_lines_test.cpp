#include "tokenizer/corpus/blank_lines.h"

#include <gtest/gtest.h>

namespace mesita::corpus {
namespace {

TEST(BlankLines, AreCutOffAroundAText) {
  EXPECT_EQ(without_blank_lines_around(""), "");
  EXPECT_EQ(without_blank_lines_around(" \n\t\r\n"), "");
  EXPECT_EQ(without_blank_lines_around("one"), "one");
  EXPECT_EQ(without_blank_lines_around("\n \n  one  \n\n two \n\n \n"), "  one  \n\n two ");
  EXPECT_EQ(without_blank_lines_around("\r\none\r\n\r\n"), "one");
}

}  // namespace
}  // namespace mesita::corpus
