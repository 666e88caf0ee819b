#include "tokenizer/incremental_decoder.h"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>

#include "tests/tokenizer/model_writer.h"
#include "tokenizer/sentencepiece_tokenizer.h"
#include "tokenizer/utf8.h"

namespace mesita::tokenizer {
namespace {

using testing::byte_id;

const std::string kBlank = "\xE2\x96\x81";

SentencePieceTokenizer byte_tokenizer() {
  auto model = testing::lossless_model({kBlank, "a", kBlank + "a", "\xC3\xA9"});
  model.adds_dummy_prefix = true;
  return SentencePieceTokenizer(testing::write_model(model));
}

TEST(IncrementalDecoder, HoldsACharacterUntilItIsWhole) {
  const auto tokenizer = byte_tokenizer();
  IncrementalDecoder decoder(tokenizer);
  EXPECT_EQ(decoder.push(byte_id(0xF0)), "");
  EXPECT_EQ(decoder.push(byte_id(0x9F)), "");
  EXPECT_EQ(decoder.push(byte_id(0x98)), "");
  EXPECT_EQ(decoder.push(byte_id(0x80)), "\xF0\x9F\x98\x80");
  EXPECT_EQ(decoder.push(byte_id(0xE2)), "");
  EXPECT_EQ(decoder.push(260),
            "\xEF\xBF\xBD"
            "a");
  EXPECT_EQ(decoder.push(byte_id(0xC0)), "\xEF\xBF\xBD");
  EXPECT_EQ(decoder.push(byte_id(0xE2)), "");
  EXPECT_EQ(decoder.finish(), "\xEF\xBF\xBD");
  EXPECT_EQ(decoder.finish(), "");
}

TEST(IncrementalDecoder, KnowsWhereATextBegins) {
  const auto tokenizer = byte_tokenizer();
  IncrementalDecoder start(tokenizer);
  EXPECT_EQ(start.push(1), "");  // a special id does not begin the text
  EXPECT_EQ(start.push(261), "a");
  EXPECT_EQ(start.push(261), " a");
  start.finish();
  EXPECT_EQ(start.push(261), "a");
  IncrementalDecoder inside(tokenizer, Tokenizer::Place::inside);
  EXPECT_EQ(inside.push(261), " a");
  inside.finish();
  EXPECT_EQ(inside.push(261), " a");
}

TEST(IncrementalDecoder, SpellsSpecialsWhenAsked) {
  const auto tokenizer = byte_tokenizer();
  IncrementalDecoder decoder(tokenizer, Tokenizer::Place::start, Tokenizer::Specials::spelled);
  EXPECT_EQ(decoder.push(1), "<s>");
  EXPECT_EQ(decoder.push(261), "a");
  EXPECT_EQ(decoder.push(byte_id(0xE2)), "");
  EXPECT_EQ(decoder.push(2), "\xEF\xBF\xBD</s>");
  // Hidden, the special id is as if it were not there.
  EXPECT_EQ(tokenizer.decode({byte_id(0xC3), 2, byte_id(0xA9)}), "\xC3\xA9");
}

TEST(IncrementalDecoder, RefusesForeignIdsAndGoesOn) {
  const auto tokenizer = byte_tokenizer();
  IncrementalDecoder decoder(tokenizer);
  decoder.push(byte_id(0xC3));
  EXPECT_THROW(decoder.push(-1), std::invalid_argument);
  EXPECT_THROW(decoder.push(263), std::invalid_argument);
  EXPECT_EQ(decoder.push(byte_id(0xA9)), "\xC3\xA9");
}

// Streamed = whole = the bytes of the ids, decoded at once, for every sequence of ids: overlong
// forms, surrogates, beyond U+10FFFF, cut characters.
TEST(IncrementalDecoder, StreamedIsWhole) {
  const auto tokenizer = byte_tokenizer();
  std::mt19937 random(5);
  const std::vector<int> bytes = {0xC0, 0xC3, 0xE0, 0xE2, 0xED, 0xEF, 0xF0, 0xF4, 0xF5,
                                  0xFF, 0x80, 0x8F, 0x90, 0x96, 0x9F, 0xA0, 0xA9, 0xBF};
  for (int round = 0; round < 2000; ++round) {
    std::vector<int32_t> ids;
    std::string expected;
    for (size_t i = random() % 30; i > 0; --i) {
      const bool byte = random() % 4 != 0;
      const int32_t id = byte ? byte_id(bytes[random() % bytes.size()])
                              : static_cast<int32_t>(random() % tokenizer.size());
      const auto place = expected.empty() ? Tokenizer::Place::start : Tokenizer::Place::inside;
      // A first piece that is only the dummy prefix adds no byte, but the text has begun.
      if (expected.empty() && id == 259) continue;
      expected += tokenizer.bytes_of(id, place);
      ids.push_back(id);
    }
    IncrementalDecoder decoder(tokenizer);
    std::string streamed;
    for (const int32_t id : ids) {
      const std::string part = decoder.push(id);
      ASSERT_EQ(find_invalid_utf8(part), std::string::npos);
      streamed += part;
    }
    streamed += decoder.finish();
    ASSERT_EQ(streamed, replace_invalid_utf8(expected));
    ASSERT_EQ(streamed, tokenizer.decode(ids));
  }
}

}  // namespace
}  // namespace mesita::tokenizer
