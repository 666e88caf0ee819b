#include "tokenizer/corpus/zstd_source.h"

#include "tests/tokenizer/corpus/packed_source_tests.h"

namespace mesita::testing {
namespace {

struct Zstd {
  using Source = corpus::ZstdSource;
  static std::string pack(const std::string& text) { return zstd_packed(text); }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Zstd, PackedSource, Zstd);

TEST(ZstdSource, PassesOverSkippableFrames) {
  const std::string skipped = zstd_skippable("not text");
  const Unpacked result = unpack<corpus::ZstdSource>(skipped + zstd_packed("text") + skipped);
  EXPECT_EQ(result.text, "text");
  EXPECT_EQ(result.damage, "");
  EXPECT_TRUE(corpus::ZstdSource::recognises(skipped));
  EXPECT_NE(unpack<corpus::ZstdSource>(skipped.substr(0, skipped.size() - 1)).damage, "");
}

TEST(ZstdSource, GivesAllBlocksBeforeADamagedOne) {
  for (const size_t bytes : {1000, 1'000'000}) {
    const std::string text = noisy_text(bytes);
    std::string packed = zstd_packed(text);
    packed.back() = static_cast<char>(packed.back() ^ 1);  // of the checksum
    const Unpacked result = unpack<corpus::ZstdSource>(packed);
    EXPECT_EQ(result.text, text);
    EXPECT_TRUE(contains(result.damage, "checksum")) << result.damage;
  }
}

TEST(ZstdSource, TakesLongWindows) {
  const Unpacked result =
      unpack<corpus::ZstdSource>(zstd_packed("text", 28));  // 27 is zstd's usual limit
  EXPECT_EQ(result.text, "text");
  EXPECT_EQ(result.damage, "");
}

}  // namespace
}  // namespace mesita::testing
