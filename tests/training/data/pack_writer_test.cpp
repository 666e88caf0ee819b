#include "training/data/pack_writer.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/message.h"
#include "tests/training/data/packed_texts.h"
#include "training/data/token_pack.h"

namespace mesita::training {
namespace {

PackInfo fresh(const tokenizer::Tokenizer& tokenizer) {
  PackInfo info;
  info.vocabulary = tokenizer.size();
  info.tokenizer_hash = tokenizer.hash();
  info.marks = {1, 2};
  info.inputs.emplace_back().file = "/a";
  return info;
}

struct Writing {
  PackedTexts texts;
  std::unique_ptr<tokenizer::Tokenizer> tokenizer = tokenizer::load_tokenizer(texts / "tokenizer");
  PackInfo begin = fresh(*tokenizer);
};

TEST(PackWriter, ForgetsWhatWasNotSaved) {
  Writing w;
  {
    PackWriter writer(w.texts / "pack", w.begin);
    writer.append({{1, 300, 2}, 7, "a"}, 0);
    writer.save({0, 1});
    writer.append({{1, 301, 2}, 8, "b"}, 0);
  }
  // A crash also leaves bytes behind the place.
  std::ofstream(w.texts / ".pack.packing/tokens.bin", std::ios::app) << "xyz";
  PackWriter writer(w.texts / "pack", w.begin);
  EXPECT_EQ(writer.place(), (PackPlace{0, 1}));
  EXPECT_EQ(writer.info().documents, 1);
  writer.append({{1, 302, 303, 2}, 9, "a"}, 0);
  writer.finish(*w.tokenizer);
  const TokenPack pack(w.texts / "pack");
  std::vector<int32_t> ids;
  ASSERT_EQ(pack.count(), 2);
  pack.read(1, ids);
  EXPECT_EQ(ids, (std::vector<int32_t>{1, 302, 303, 2}));
  EXPECT_EQ(pack.sets(), (std::vector<DocumentSet>{{"a", 2, 7, 16}}));
  EXPECT_FALSE(std::filesystem::exists(w.texts / ".pack.packing"));
}

TEST(PackWriter, OneAtATime) {
  Writing w;
  const PackWriter writer(w.texts / "pack", w.begin);
  const std::string refused =
      testing::message_of<std::runtime_error>([&] { PackWriter(w.texts / "pack", w.begin); });
  EXPECT_TRUE(testing::contains(refused, "another process")) << refused;
}

TEST(PackWriter, RefusesWhenWrittenBytesAreLost) {
  Writing w;
  {
    PackWriter writer(w.texts / "pack", w.begin);
    writer.append({{1, 300, 2}, 7, ""}, 0);
    writer.save({0, 1});
  }
  std::filesystem::resize_file(w.texts / ".pack.packing/tokens.bin", 4);
  const std::string refused =
      testing::message_of<std::runtime_error>([&] { PackWriter(w.texts / "pack", w.begin); });
  EXPECT_TRUE(testing::contains(refused, "lost")) << refused;
}

TEST(PackWriter, TheTargetNeedsAName) {
  Writing w;
  EXPECT_THROW(PackWriter("/", w.begin), std::invalid_argument);
}

}  // namespace
}  // namespace mesita::training
