#include "model/checkpoint/verified_folder.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "model/checkpoint/sha256.h"
#include "tests/support/files.h"
#include "tests/support/message.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tiny_checkpoint.h"

namespace mesita::checkpoint {
namespace {

namespace fs = std::filesystem;
using mesita::testing::contains;
using mesita::testing::message_of;
using mesita::testing::read_file;
using mesita::testing::write_file;

constexpr const char* kFiles[] = {"config.json", "model.safetensors", "tokenizer/none.json",
                                  "manifest.json"};

class Verified : public ::testing::Test {
 protected:
  Verified() { mesita::testing::TinyCheckpoint().save(folder_); }
  std::string message() const {
    return message_of<std::runtime_error>([&] { VerifiedFolder{folder_}; });
  }
  mesita::testing::TemporaryDirectory place_;
  fs::path folder_ = place_ / "c";
};

TEST_F(Verified, AnIntactFolder) {
  const VerifiedFolder verified(folder_);
  EXPECT_EQ(verified.manifest().parts.size(), 3U);
  EXPECT_EQ(verified.hash(), sha256(read_file(folder_ / "manifest.json")));
  EXPECT_EQ(verified.file("tokenizer/none.json").read_all(99), "{\"size\": 5}\n");
  EXPECT_EQ(verified.file("config.json").read_all(9999), read_file(folder_ / "config.json"));
}

TEST_F(Verified, ReadmeAndHiddenFilesDoNotMatter) {
  write_file(folder_ / "README.md", "# A model");
  write_file(folder_ / ".DS_Store", "");
  write_file(folder_ / "tokenizer" / ".nfs01", "");
  EXPECT_EQ(message(), "(nothing was thrown)");
}

TEST_F(Verified, OtherFilesAreRefused) {
  for (const char* name : {"notes.txt", "model.safetensors.bak", "training_state.safetensors",
                           "tokenizer/symbols.json", "pytorch_model.bin", "tokenizer/README.md"}) {
    write_file(folder_ / name, "");
    EXPECT_TRUE(message().starts_with(std::string(name) + " is not part")) << message();
    fs::remove(folder_ / name);
  }
}

TEST_F(Verified, MissingEmptyAndForeignFiles) {
  for (const char* name : kFiles) {
    const std::string content = read_file(folder_ / name);
    fs::remove(folder_ / name);
    EXPECT_TRUE(message().starts_with(std::string(name) + " is missing")) << message();
    write_file(folder_ / name, "");
    EXPECT_TRUE(message().starts_with(name)) << message();
    write_file(folder_ / name, content + '\0');
    EXPECT_TRUE(message().starts_with(name)) << message();
    write_file(folder_ / name, std::string(content.size(), '\0'));
    EXPECT_TRUE(message().starts_with(name)) << message();
    fs::remove(folder_ / name);
    fs::create_directory(folder_ / name);
    EXPECT_TRUE(message().starts_with(std::string(name) + " is a folder")) << message();
    fs::remove(folder_ / name);
    write_file(place_ / "elsewhere", content);
    fs::create_symlink(place_ / "elsewhere", folder_ / name);
    EXPECT_TRUE(message().starts_with(std::string(name) + " is a symbolic link")) << message();
    fs::remove(folder_ / name);
    write_file(folder_ / name, content);
  }
  EXPECT_EQ(message(), "(nothing was thrown)");
}

TEST_F(Verified, SwappedFilesAreRefused) {
  fs::rename(folder_ / "config.json", place_ / "x");
  fs::rename(folder_ / "model.safetensors", folder_ / "config.json");
  fs::rename(place_ / "x", folder_ / "model.safetensors");
  EXPECT_TRUE(contains(message(), "from another checkpoint")) << message();
}

TEST_F(Verified, EveryTruncationIsRefused) {
  for (const char* name : kFiles) {
    const std::string content = read_file(folder_ / name);
    for (size_t length = content.size(); length-- > 0;) {
      fs::resize_file(folder_ / name, length);
      ASSERT_TRUE(message().starts_with(name)) << name << " " << length << ": " << message();
    }
    write_file(folder_ / name, content);
  }
}

// One flip in each byte of each part; load_checkpoint_test flips every bit, the manifest's too.
TEST_F(Verified, FlipsInPartsAreRefused) {
  for (const char* name : {"config.json", "model.safetensors", "tokenizer/none.json"}) {
    const std::string content = read_file(folder_ / name);
    for (size_t i = 0; i < content.size(); ++i) {
      std::string flipped = content;
      flipped[i] = static_cast<char>(flipped[i] ^ (1 << (i % 8)));
      write_file(folder_ / name, flipped);
      ASSERT_TRUE(message().starts_with(std::string(name) + " has SHA-256")) << i << message();
    }
    write_file(folder_ / name, content);
  }
}

TEST_F(Verified, AManifestWithoutTheNeededParts) {
  for (const char* name : {"config.json", "model.safetensors", "tokenizer/none.json"}) {
    Manifest manifest = parse_manifest(read_file(folder_ / "manifest.json"));
    const std::string kept = manifest_text(manifest);
    manifest.parts.erase(name);
    write_file(folder_ / "manifest.json", manifest_text(manifest));
    EXPECT_TRUE(contains(message(), "does not list")) << message();
    write_file(folder_ / "manifest.json", kept);
  }
}

TEST_F(Verified, NotACheckpoint) {
  const fs::path empty = place_ / "empty";
  fs::create_directory(empty);
  EXPECT_TRUE(contains(message_of<std::runtime_error>([&] { VerifiedFolder{empty}; }),
                       "manifest.json is missing: this is no checkpoint"));
  EXPECT_THROW(VerifiedFolder{place_ / "none"}, std::runtime_error);
  EXPECT_THROW(VerifiedFolder{folder_ / "config.json"}, std::runtime_error);
  write_file(folder_ / "manifest.json", std::string((1 << 20) + 1, ' '));
  EXPECT_TRUE(contains(message(), "at most"));
}

}  // namespace
}  // namespace mesita::checkpoint
