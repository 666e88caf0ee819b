#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tests/support/files.h"
#include "tests/support/message.h"
#include "tests/support/temporary_directory.h"
#include "tests/tokenizer/corpus/archives.h"
#include "tests/tokenizer/corpus/read_bytes.h"

// What every packing must hold, for the test of each. A packing is a type with a Source and a
// pack(text) that gives one archive.
namespace mesita::testing {

struct Unpacked {
  std::string text;
  std::string damage;
};

template <typename Source>
Unpacked unpack(const std::string& packed, size_t step = 65536) {
  static const TemporaryDirectory folder;  // one, since making them takes the time
  write_file(folder / "a", packed);
  Source source(corpus::FileBytes(folder / "a"));
  Unpacked result;
  result.text = read_all(source, step);
  EXPECT_EQ(read_all(source), "") << "the end stays the end";
  result.damage = source.damage();
  return result;
}

template <typename Packing>
class PackedSource : public ::testing::Test {};
TYPED_TEST_SUITE_P(PackedSource);

TYPED_TEST_P(PackedSource, UnpacksInStepsOfAnySize) {
  const std::string text = noisy_text(700'000) + std::string(300'000, 'z');
  const std::string packed = TypeParam::pack(text);
  for (const size_t step : {size_t{1}, size_t{1000}, size_t{1} << 20}) {
    const Unpacked result = unpack<typename TypeParam::Source>(packed, step);
    EXPECT_EQ(result.text, text);
    EXPECT_EQ(result.damage, "");
  }
}

TYPED_TEST_P(PackedSource, UnpacksSeveralBehindEachOther) {
  const std::string empty = TypeParam::pack("");
  EXPECT_EQ(unpack<typename TypeParam::Source>(empty).damage, "");
  const Unpacked result = unpack<typename TypeParam::Source>(TypeParam::pack("one\n") + empty +
                                                             TypeParam::pack("two\n"));
  EXPECT_EQ(result.text, "one\ntwo\n");
  EXPECT_EQ(result.damage, "");
}

TYPED_TEST_P(PackedSource, GivesWhatStandsBeforeACut) {
  const std::string text = noisy_text(2000);
  const std::string first = TypeParam::pack(text);
  const std::string packed = first + TypeParam::pack("second");
  for (size_t bytes = 8; bytes < packed.size(); ++bytes) {
    const Unpacked result = unpack<typename TypeParam::Source>(packed.substr(0, bytes));
    EXPECT_EQ((text + "second").substr(0, result.text.size()), result.text);
    if (bytes >= first.size()) {
      EXPECT_GE(result.text.size(), text.size());
    }
    if (bytes == first.size()) {
      EXPECT_EQ(result.damage, "") << "a whole archive";
    } else {
      EXPECT_TRUE(contains(result.damage, "byte " + std::to_string(bytes) + " of")) << bytes;
    }
  }
  const std::string large = noisy_text(1'000'000);
  const std::string half = TypeParam::pack(large);
  EXPECT_GT(unpack<typename TypeParam::Source>(half.substr(0, half.size() / 2)).text.size(),
            300'000U);
}

TYPED_TEST_P(PackedSource, SeesFlippedBits) {
  const std::string text = noisy_text(300);
  const std::string packed = TypeParam::pack(text);
  for (size_t bit = 0; bit < packed.size() * 8; ++bit) {
    std::string damaged = packed;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    const Unpacked result = unpack<typename TypeParam::Source>(damaged);
    // Bits that mean nothing (a time, for example) may be flipped; the text may not.
    EXPECT_TRUE(!result.damage.empty() || result.text == text) << "bit " << bit;
  }
}

TYPED_TEST_P(PackedSource, RefusesBytesBehindTheArchive) {
  const Unpacked result = unpack<typename TypeParam::Source>(TypeParam::pack("text") + "garbage");
  EXPECT_EQ(result.text, "text");
  EXPECT_NE(result.damage, "");
}

REGISTER_TYPED_TEST_SUITE_P(PackedSource, UnpacksInStepsOfAnySize, UnpacksSeveralBehindEachOther,
                            GivesWhatStandsBeforeACut, SeesFlippedBits,
                            RefusesBytesBehindTheArchive);

}  // namespace mesita::testing
