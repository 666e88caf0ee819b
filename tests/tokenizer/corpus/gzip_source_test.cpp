#include "tokenizer/corpus/gzip_source.h"

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
  GzipSource source(FileBytes(folder / "a"));
  Unpacked result;
  result.text = testing::read_all(source, step);
  EXPECT_EQ(testing::read_all(source), "") << "the end stays the end";
  result.damage = source.damage();
  return result;
}

TEST(GzipSource, UnpacksInStepsOfAnySize) {
  const std::string text = testing::noisy_text(700'000) + std::string(300'000, 'z');
  const std::string packed = testing::gzip_packed(text);
  for (const size_t step : {size_t{1}, size_t{1000}, size_t{1} << 20}) {
    const Unpacked result = unpack(packed, step);
    EXPECT_EQ(result.text, text);
    EXPECT_EQ(result.damage, "");
  }
}

TEST(GzipSource, UnpacksSeveralBehindEachOther) {
  const std::string empty = testing::gzip_packed("");
  EXPECT_EQ(unpack(empty).damage, "");
  const Unpacked result =
      unpack(testing::gzip_packed("one\n") + empty + testing::gzip_packed("two\n"));
  EXPECT_EQ(result.text, "one\ntwo\n");
  EXPECT_EQ(result.damage, "");
}

TEST(GzipSource, GivesWhatStandsBeforeACut) {
  const std::string text = testing::noisy_text(2000);
  const std::string first = testing::gzip_packed(text);
  const std::string packed = first + testing::gzip_packed("second");
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
  const std::string half = testing::gzip_packed(large);
  EXPECT_GT(unpack(half.substr(0, half.size() / 2)).text.size(), 300'000U);
}

TEST(GzipSource, SeesFlippedBits) {
  const std::string text = testing::noisy_text(300);
  const std::string packed = testing::gzip_packed(text);
  for (size_t bit = 0; bit < packed.size() * 8; ++bit) {
    std::string damaged = packed;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    const Unpacked result = unpack(damaged);
    // Bits that mean nothing (a time, for example) may be flipped; the text may not.
    EXPECT_TRUE(!result.damage.empty() || result.text == text) << "bit " << bit;
  }
}

TEST(GzipSource, RefusesBytesBehindTheArchive) {
  const Unpacked result = unpack(testing::gzip_packed("text") + "garbage");
  EXPECT_EQ(result.text, "text");
  EXPECT_NE(result.damage, "");
}

}  // namespace
}  // namespace mesita::corpus
