#include "tokenizer/definition_file.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/files.h"
#include "tests/support/message.h"
#include "tests/support/temporary_directory.h"

namespace mesita::tokenizer {
namespace {

using testing::TemporaryDirectory;

TEST(DefinitionFile, WritesReadsAndFinds) {
  const TemporaryDirectory root;
  const auto folder = root / "a" / "b";
  const std::string content("one\0two\n", 8);
  write_definition(folder, kSymbolsFile, "old");
  write_definition(folder, kSymbolsFile, content);
  EXPECT_EQ(find_definition(folder), folder / kSymbolsFile);
  EXPECT_EQ(read_definition(folder / kSymbolsFile), content);
  size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++files;
  EXPECT_EQ(files, 1) << "temporary files must not stay";
}

TEST(DefinitionFile, RefusesWhatIsNoFittingFile) {
  const TemporaryDirectory root;
  EXPECT_THROW(read_definition(root / "absent"), std::runtime_error);
  EXPECT_THROW(read_definition(root.path()), std::runtime_error);
  testing::write_file(root / "empty", "");
  EXPECT_TRUE(testing::contains(testing::message_of([&] { read_definition(root / "empty"); }),
                                "empty: the file is empty"));
  testing::write_file(root / "huge", "x");
  std::filesystem::resize_file(root / "huge", (uintmax_t{64} << 20) + 1);
  EXPECT_TRUE(testing::contains(testing::message_of([&] { read_definition(root / "huge"); }),
                                "67108865 bytes"));
}

TEST(DefinitionFile, AFolderHasOneKind) {
  const TemporaryDirectory root;
  EXPECT_TRUE(testing::contains(testing::message_of([&] { find_definition(root.path()); }),
                                "no tokenizer here"));
  write_definition(root.path(), kIdlessFile, "x");
  EXPECT_THROW(write_definition(root.path(), kSymbolsFile, "y"), std::runtime_error);
  EXPECT_THROW(require_writable_definition(root.path(), kSentencePieceFile), std::runtime_error);
  EXPECT_NO_THROW(require_writable_definition(root.path(), kIdlessFile));
  testing::write_file(root / kSymbolsFile, "y");
  EXPECT_TRUE(
      testing::contains(testing::message_of([&] { find_definition(root.path()); }), "holds both"));
}

TEST(DefinitionFile, RefusesAFileForAFolder) {
  const TemporaryDirectory root;
  testing::write_file(root / "file", "x");
  EXPECT_THROW(write_definition(root / "file", kSymbolsFile, "y"), std::runtime_error);
  EXPECT_THROW(write_definition(root / "file" / "inner", kSymbolsFile, "y"), std::runtime_error);
}

TEST(DefinitionFile, HashIsSha256) {
  EXPECT_EQ(definition_hash("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace mesita::tokenizer
