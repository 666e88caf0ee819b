#include "server/http/model_registry.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/server/http/served_models.h"
#include "tests/support/message.h"

namespace mesita::http {
namespace {

namespace fs = std::filesystem;
using testing::contains;
using testing::message_of;

TEST(ModelRegistry, IdsArePathsInOrderAndRunsCountAsTheirBest) {
  std::vector<std::string> ids;
  for (const ModelEntry& entry : testing::served_registry().entries()) ids.push_back(entry.id);
  EXPECT_EQ(ids, (std::vector<std::string>{"broken", "ids", "run", "story", "sub/other"}));
  EXPECT_TRUE(testing::served_registry().find("run")->loaded());
}

TEST(ModelRegistry, WhatFailsIsListedWithItsReason) {
  const ModelEntry* broken = testing::served_registry().find("broken");
  ASSERT_NE(broken, nullptr);
  EXPECT_FALSE(broken->loaded());
  EXPECT_TRUE(contains(broken->reason, "broken")) << broken->reason;
}

TEST(ModelRegistry, TheDefaultIsTheFirstWithATextTokenizer) {
  EXPECT_EQ(testing::served_registry().default_model().id, "story");
  const auto other = ModelRegistry::load(testing::served_folder(), "sub/other");
  EXPECT_EQ(other.default_model().id, "sub/other");
}

TEST(ModelRegistry, WithoutTextTheFirstLoadedIsTheDefault) {
  EXPECT_EQ(ModelRegistry::load(testing::served_folder() / "run", "").default_model().id, "run");
}

TEST(ModelRegistry, AFolderMayItselfBeACheckpoint) {
  const auto registry = ModelRegistry::load(testing::served_folder() / "story/", "");
  ASSERT_EQ(registry.entries().size(), 1u);
  EXPECT_EQ(registry.entries()[0].id, "story");
  EXPECT_EQ(registry.find("other"), nullptr);
}

TEST(ModelRegistry, KnowsWhenACheckpointWasWrittenAndItsSpecials) {
  const ModelEntry* story = testing::served_registry().find("story");
  EXPECT_GT(story->created, 1'500'000'000);
  EXPECT_LT(story->created, 10'000'000'000);
  EXPECT_FALSE(story->specials.empty());
}

TEST(ModelRegistry, NothingToServeIsAnError) {
  const testing::TemporaryDirectory empty;
  const auto refusal = [](const fs::path& folder, const std::string& id) {
    return message_of<std::runtime_error>([&] { ModelRegistry::load(folder, id); });
  };
  EXPECT_TRUE(contains(refusal(empty.path(), ""), "no checkpoint"));
  EXPECT_TRUE(contains(refusal(empty / "absent", ""), "no such folder"));
  EXPECT_TRUE(contains(refusal(testing::served_folder() / "broken", ""), "could be loaded"));
  EXPECT_TRUE(contains(refusal(testing::served_folder(), "nope"), "nope"));
  EXPECT_TRUE(contains(refusal(testing::served_folder(), "broken"), "broken"));
}

TEST(ModelRegistry, ACheckpointWithoutManifestIsListedAsFailed) {
  const testing::TemporaryDirectory folder;
  const auto copy = [&](const std::string& id) {
    fs::create_directories(folder / id);
    fs::copy(testing::served_folder() / "story", folder / id, fs::copy_options::recursive);
  };
  copy("whole");
  copy("cut");
  copy("run/checkpoints/best");
  fs::remove(folder / "cut" / "manifest.json");
  fs::remove(folder / "run" / "checkpoints" / "best" / "manifest.json");
  fs::create_directories(folder / "new-run" / "checkpoints");
  testing::write_file(folder / "new-run" / "config.json", "{}");
  const auto registry = ModelRegistry::load(folder.path(), "");
  EXPECT_EQ(registry.entries().size(), 3u) << "a run that has only begun is no model";
  for (const auto* id : {"cut", "run"}) {
    const ModelEntry* entry = registry.find(id);
    ASSERT_NE(entry, nullptr) << id;
    EXPECT_FALSE(entry->loaded());
    EXPECT_TRUE(contains(entry->reason, "manifest.json")) << entry->reason;
  }
}

TEST(ModelRegistry, LinksBackAreNotFollowedButOthersAre) {
  const testing::TemporaryDirectory folder;
  fs::create_directories(folder / "real");
  fs::copy(testing::served_folder() / "run", folder / "real" / "run", fs::copy_options::recursive);
  fs::create_directory_symlink(".", folder / "again");
  fs::create_directory_symlink("..", folder / "real" / "up");
  fs::create_directory_symlink("real/run", folder / "latest");
  fs::create_directory_symlink("nowhere", folder / "dangling");
  const auto registry = ModelRegistry::load(folder.path(), "");
  std::vector<std::string> ids;
  for (const ModelEntry& entry : registry.entries()) ids.push_back(entry.id);
  EXPECT_EQ(ids, (std::vector<std::string>{"latest", "real/run"}));
}

TEST(ModelRegistry, HiddenFoldersAreNotScanned) {
  const testing::TemporaryDirectory folder;
  fs::copy(testing::served_folder() / "run", folder / "run", fs::copy_options::recursive);
  fs::create_directories(folder / ".tmp");
  testing::write_file(folder / ".tmp" / "manifest.json", "{");
  EXPECT_EQ(ModelRegistry::load(folder.path(), "").entries().size(), 1u);
}

}  // namespace
}  // namespace mesita::http
