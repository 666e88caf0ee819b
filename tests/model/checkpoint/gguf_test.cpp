#include "model/checkpoint/gguf.h"

#include <gtest/gtest.h>

#include "tests/support/files.h"
#include "tests/support/temporary_directory.h"

namespace mesita::checkpoint {
namespace {

std::string little(uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xFF);
  return text;
}

std::string text(const std::string& value) {
  return little(value.size(), 8) + value;
}

// Byte for byte after ggml's gguf.md.
TEST(Gguf, IsTheFormatOfItsDescription) {
  const testing::TemporaryDirectory folder;
  const std::vector<ForeignTensor> tensors{{"a", {{1, 3}, {1.0f, 2.0f, -2.0f}}},
                                           {"b", {{2}, {0.5f, 0.0f}}}};
  OutputFile file(folder / "x.gguf");
  write_gguf(file,
             {{"name", std::string("\xC3\xA9")},
              {"size", uint32_t{7}},
              {"yes", true},
              {"list", std::vector<int32_t>{-1, 3}},
              {"texts", std::vector<std::string>{"p", ""}}},
             tensors);
  file.finish();
  std::string expected = "GGUF" + little(3, 4) + little(2, 8) + little(5, 8);
  expected += text("name") + little(8, 4) + text("\xC3\xA9");
  expected += text("size") + little(4, 4) + little(7, 4);
  expected += text("yes") + little(7, 4) + little(1, 1);
  expected += text("list") + little(9, 4) + little(5, 4) + little(2, 8) + little(0xFFFFFFFF, 4) +
              little(3, 4);
  expected += text("texts") + little(9, 4) + little(8, 4) + little(2, 8) + text("p") + text("");
  expected += text("a") + little(2, 4) + little(3, 8) + little(1, 8) + little(0, 4) + little(0, 8);
  expected += text("b") + little(1, 4) + little(2, 8) + little(0, 4) + little(32, 8);
  expected.resize((expected.size() + 31) / 32 * 32, '\0');
  expected += little(0x3F800000, 4) + little(0x40000000, 4) + little(0xC0000000, 4);
  expected += std::string(20, '\0');
  expected += little(0x3F000000, 4) + little(0, 4) + std::string(24, '\0');
  EXPECT_EQ(testing::read_file(folder / "x.gguf"), expected);
}

}  // namespace
}  // namespace mesita::checkpoint
