#include "training/data/token_pack.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "model/checkpoint/readable_file.h"
#include "model/checkpoint/sha256.h"
#include "tests/support/message.h"
#include "tests/training/data/packed_texts.h"

namespace mesita::training {
namespace {

struct Packed {
  Packed() { pack(texts.request({texts.write_lines("a.jsonl", 30)})); }
  /// Replaces bytes of a file; with `sealed` pack.json says that it must be so.
  void change(const std::string& name, const std::string& content, bool sealed) {
    texts.write("pack/" + name, content);
    if (!sealed) return;
    PackInfo info = parse_pack(texts.content("pack/pack.json"), "");
    info.files[name] = {content.size(), checkpoint::sha256(content)};
    texts.write("pack/pack.json", pack_json(info));
  }
  std::string refused() const {
    return testing::message_of<std::runtime_error>([&] { TokenPack(texts / "pack").tokenizer(); });
  }
  PackedTexts texts;
};

TEST(TokenPack, EveryFlippedBitAndEveryCutIsRefused) {
  for (const char* name : {"tokens.bin", "documents.bin", "tokenizer/tokenizer.model"}) {
    Packed packed;
    const std::string good = packed.texts.content(std::string("pack/") + name);
    for (const size_t place : {size_t{0}, good.size() / 2, good.size() - 1}) {
      std::string bad = good;
      bad[place] = static_cast<char>(bad[place] ^ 4);
      packed.change(name, bad, false);
      EXPECT_TRUE(testing::contains(packed.refused(), name)) << packed.refused();
    }
    for (const std::string& bad : {std::string(), good.substr(1), good + "x"}) {
      packed.change(name, bad, false);
      EXPECT_TRUE(testing::contains(packed.refused(), name)) << packed.refused();
    }
  }
}

TEST(TokenPack, FilesThatContradictEachOtherAreRefused) {
  const auto with = [](const char* name, const std::function<void(std::string&)>& change) {
    Packed packed;
    std::string content = packed.texts.content(std::string("pack/") + name);
    change(content);
    packed.change(name, content, true);
    return packed.refused();
  };
  EXPECT_TRUE(testing::contains(with("tokens.bin", [](std::string& c) { c += "ab"; }), "counts"));
  EXPECT_TRUE(testing::contains(with("tokens.bin", [](std::string& c) { c[3] = '\x7f'; }), "id"));
  EXPECT_TRUE(testing::contains(with("documents.bin", [](std::string& c) { c[0] = 1; }), "lies"));
  EXPECT_TRUE(testing::contains(with("documents.bin", [](std::string& c) { c[16] = 0; }), "lies"));
  EXPECT_TRUE(testing::contains(with("documents.bin", [](std::string& c) { c[12] = 9; }), "lies"));
  EXPECT_TRUE(
      testing::contains(with("documents.bin", [](std::string& c) { c.resize(16); }), "counts"));
}

TEST(TokenPack, AnotherTokenizerIsRefused) {
  Packed packed;
  packed.change("tokenizer/tokenizer.model", testing::tiny_sentencepiece_model(330), true);
  EXPECT_TRUE(testing::contains(packed.refused(), "another tokenizer")) << packed.refused();
}

TEST(TokenPack, IsKnownByItsFile) {
  Packed packed;
  EXPECT_TRUE(TokenPack::is_pack(packed.texts / "pack"));
  EXPECT_FALSE(TokenPack::is_pack(packed.texts / "tokenizer"));
  EXPECT_FALSE(TokenPack::is_pack(packed.texts / "a.jsonl"));
  EXPECT_FALSE(TokenPack::is_pack(packed.texts / "absent"));
}

}  // namespace
}  // namespace mesita::training
