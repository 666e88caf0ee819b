#include "tokenizer/corpus/zstd_source.h"

#include <gtest/gtest.h>

#include "tests/support/files.h"
#include "tests/support/message.h"
#include "tests/support/temporary_directory.h"
#include "tests/tokenizer/corpus/archives.h"
#include "tests/tokenizer/corpus/read_bytes.h"

namespace mesita::corpus {
namespace {

struct Unpacked {
  std::string text;
  std::string damage;
};

Unpacked unpack(const std::string& packed, size_t step = 65536) {
  static const testing::TemporaryDirectory folder;  // one, since making them takes the time
  testing::write_file(folder / "a", packed);
  ZstdSource source(FileBytes(folder / "a"));
  Unpacked result;
  result.text = testing::read_all(source, step);
  EXPECT_EQ(testing::read_all(source), "") << "the end stays the end";
  result.damage = source.damage();
  return result;
}

TEST(ZstdSource, UnpacksInStepsOfAnySize) {
  const std::string text = testing::noisy_text(700'000) + std::string(300'000, 'z');
  const std::string packed = testing::zstd_packed(text);
  for (const size_t step : {size_t{1}, size_t{1000}, size_t{1} << 20}) {
    const Unpacked result = unpack(packed, step);
    EXPECT_EQ(result.text, text);
    EXPECT_EQ(result.damage, "");
  }
}

TEST(ZstdSource, UnpacksSeveralBehindEachOther) {
  const std::string empty = testing::zstd_packed("");
  EXPECT_EQ(unpack(empty).damage, "");
  const Unpacked result =
      unpack(testing::zstd_packed("one\n") + empty + testing::zstd_packed("two\n"));
  EXPECT_EQ(result.text, "one\ntwo\n");
  EXPECT_EQ(result.damage, "");
}

TEST(ZstdSource, GivesWhatStandsBeforeACut) {
  const std::string text = testing::noisy_text(2000);
  const std::string first = testing::zstd_packed(text);
  const std::string packed = first + testing::zstd_packed("second");
  for (size_t bytes = 8; bytes < packed.size(); ++bytes) {
    const Unpacked result = unpack(packed.substr(0, bytes));
    EXPECT_EQ((text + "second").substr(0, result.text.size()), result.text);
    if (bytes >= first.size()) {
      EXPECT_GE(result.text.size(), text.size());
    }
    if (bytes == first.size()) {
      EXPECT_EQ(result.damage, "") << "a whole archive";
    } else {
      EXPECT_TRUE(testing::contains(result.damage, "byte " + std::to_string(bytes) + " of"))
          << bytes;
    }
  }
  const std::string large = testing::noisy_text(1'000'000);
  const std::string half = testing::zstd_packed(large);
  EXPECT_GT(unpack(half.substr(0, half.size() / 2)).text.size(), 300'000U);
}

TEST(ZstdSource, SeesFlippedBits) {
  const std::string text = testing::noisy_text(300);
  const std::string packed = testing::zstd_packed(text);
  for (size_t bit = 0; bit < packed.size() * 8; ++bit) {
    std::string damaged = packed;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    const Unpacked result = unpack(damaged);
    // Bits that mean nothing (a time, for example) may be flipped; the text may not.
    EXPECT_TRUE(!result.damage.empty() || result.text == text) << "bit " << bit;
  }
}

TEST(ZstdSource, RefusesBytesBehindTheArchive) {
  const Unpacked result = unpack(testing::zstd_packed("text") + "garbage");
  EXPECT_EQ(result.text, "text");
  EXPECT_NE(result.damage, "");
}

TEST(ZstdSource, PassesOverSkippableFrames) {
  const std::string skipped = testing::zstd_skippable("not text");
  const Unpacked result = unpack(skipped + testing::zstd_packed("text") + skipped);
  EXPECT_EQ(result.text, "text");
  EXPECT_EQ(result.damage, "");
  EXPECT_TRUE(ZstdSource::recognises(skipped));
  EXPECT_NE(unpack(skipped.substr(0, skipped.size() - 1)).damage, "");
}

TEST(ZstdSource, GivesAllBlocksBeforeADamagedOne) {
  for (const size_t bytes : {1000, 1'000'000}) {
    const std::string text = testing::noisy_text(bytes);
    std::string packed = testing::zstd_packed(text);
    packed.back() = static_cast<char>(packed.back() ^ 1);  // of the checksum
    const Unpacked result = unpack(packed);
    EXPECT_EQ(result.text, text);
    EXPECT_TRUE(testing::contains(result.damage, "checksum")) << result.damage;
  }
}

TEST(ZstdSource, TakesLongWindows) {
  const Unpacked result = unpack(testing::zstd_packed("text", 28));  // 27 is zstd's usual limit
  EXPECT_EQ(result.text, "text");
  EXPECT_EQ(result.damage, "");
}

}  // namespace
}  // namespace mesita::corpus
