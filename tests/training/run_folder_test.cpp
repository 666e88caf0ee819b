#include "training/run_folder.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_directory.h"

namespace mesita::training {
namespace {

namespace fs = std::filesystem;

std::string refusal(const fs::path& root) {
  try {
    make_run_folder(root, "{}\n");
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "(accepted)";
}

TEST(RunFolder, IsMadeWithItsConfig) {
  const testing::TemporaryDirectory folder;
  const RunFolder run = make_run_folder(folder / "a" / "b", "{\"x\": 1}\n");
  std::ifstream file(run.config());
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "{\"x\": 1}\n");
}

TEST(RunFolder, AnEmptyFolderWillDo) {
  const testing::TemporaryDirectory folder;
  fs::create_directory(folder / "empty");
  EXPECT_EQ(refusal(folder / "empty"), "(accepted)");
}

TEST(RunFolder, NothingIsOverwritten) {
  const testing::TemporaryDirectory folder;
  std::ofstream(folder / "letter.txt") << "dear";
  EXPECT_NE(refusal(folder.path()).find("is not empty"), std::string::npos);
  EXPECT_NE(refusal(folder / "letter.txt").find("is not a folder"), std::string::npos);
  make_run_folder(folder / "run", "{}");
  std::ofstream(folder / "run" / "metrics.jsonl") << "";
  EXPECT_NE(refusal(folder / "run").find("already holds a run"), std::string::npos);
  EXPECT_NE(refusal(folder / "run").find("--out"), std::string::npos);
}

TEST(RunFolder, SaysWhenTheDiskRefuses) {
  EXPECT_NE(refusal("/proc/run").find("cannot make"), std::string::npos);
}

TEST(RunFolder, FindsAFreeName) {
  const testing::TemporaryDirectory folder;
  EXPECT_EQ(free_run_folder(folder.path(), "x"), folder / "x-1");
  fs::create_directory(folder / "x-1");
  EXPECT_EQ(free_run_folder(folder.path(), "x"), folder / "x-2");
}

}  // namespace
}  // namespace mesita::training
