#include "tokenizer/sentencepiece_model.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <stdexcept>

#include "tests/support/message.h"
#include "tests/support/tiny_tokenizer.h"
#include "tests/tokenizer/model_writer.h"

namespace mesita::tokenizer {
namespace {

using testing::lossless_model;
using testing::write_model;

/// The reason why a changed model is refused.
std::string refusal(const std::function<void(SentencePieceModel&)>& change) {
  SentencePieceModel model = lossless_model({"\xE2\x96\x81", "a", "b", "ab"});
  change(model);
  return testing::message_of<std::runtime_error>(
      [&] { parse_sentencepiece_model(write_model(model)); });
}

TEST(SentencePieceModel, ReadsWhatWasWritten) {
  const SentencePieceModel written = lossless_model({"\xE2\x96\x81", "a", "b", "ab"});
  const SentencePieceModel model = parse_sentencepiece_model(write_model(written));
  ASSERT_EQ(model.pieces.size(), 263);
  EXPECT_EQ(model.pieces[262].text, "ab");
  EXPECT_EQ(model.pieces[262].score, -262.0F);
  EXPECT_EQ(model.pieces[0].kind, PieceKind::unknown);
  EXPECT_EQ(model.pieces[2].kind, PieceKind::control);
  EXPECT_EQ(model.pieces[258].text, "<0xFF>");
  EXPECT_EQ(model.algorithm, SentencePieceModel::Algorithm::bpe);
  EXPECT_EQ(algorithm_name(model.algorithm), "bpe");
  EXPECT_TRUE(model.byte_fallback);
  EXPECT_FALSE(model.adds_dummy_prefix);
  EXPECT_FALSE(model.removes_extra_whitespace);
  EXPECT_EQ(model.normalization, "identity");
  EXPECT_TRUE(model.lossless());
}

TEST(SentencePieceModel, KnowsWhatLosesText) {
  SentencePieceModel model = lossless_model({"a"});
  model.removes_extra_whitespace = true;
  EXPECT_FALSE(model.lossless());
  model = lossless_model({"a"});
  model.byte_fallback = false;
  EXPECT_FALSE(model.lossless());
  model = lossless_model({"a"});
  model.normalization_table = "table";
  EXPECT_FALSE(model.lossless());
}

TEST(SentencePieceModel, RefusesUnfitPieces) {
  using testing::contains;
  EXPECT_TRUE(contains(refusal([](auto& m) { m.pieces.clear(); }), "no pieces"));
  EXPECT_EQ(refusal([](auto& m) { m.pieces[260].text = ""; }), "piece 260 is empty");
  EXPECT_TRUE(contains(refusal([](auto& m) { m.pieces[260].text = std::string(300000, 'a'); }),
                       "300000 bytes"));
  EXPECT_TRUE(
      contains(refusal([](auto& m) { m.pieces[260].text = std::string("a\0b", 3); }), "NUL"));
  EXPECT_TRUE(contains(refusal([](auto& m) { m.pieces[260].text = "\xFF"; }), "UTF-8"));
  EXPECT_TRUE(contains(refusal([](auto& m) { m.pieces[260].text = "b"; }), "twice"));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(contains(refusal([&](auto& m) { m.pieces[260].score = nan; }), "not finite"));
  EXPECT_TRUE(contains(refusal([](auto& m) { m.pieces[260].kind = PieceKind(9); }), "kind 9"));
  EXPECT_TRUE(contains(refusal([](auto& m) { m.pieces[1].kind = PieceKind::unknown; }),
                       "2 unknown pieces"));
  EXPECT_TRUE(contains(refusal([](auto& m) { m.pieces[0].kind = PieceKind::control; }),
                       "0 unknown pieces"));
}

TEST(SentencePieceModel, RefusesControlPiecesThatTextsContain) {
  for (const char* name : {"$", "\xC3\xA9", "\xF0\x9F\x98\x80"}) {
    EXPECT_TRUE(testing::contains(refusal([&](auto& m) { m.pieces[2].text = name; }),
                                  std::string("the control piece ") + name));
  }
  EXPECT_EQ(refusal([](auto& m) { m.pieces[2].text = "$$"; }), "(nothing was thrown)");
}

TEST(SentencePieceModel, RefusesBytePiecesThatAreNotTheBytes) {
  using testing::contains;
  EXPECT_TRUE(contains(refusal([](auto& m) { m.pieces[5].text = "<0xG0>"; }), "<0xNN>"));
  EXPECT_TRUE(contains(refusal([](auto& m) { m.pieces.erase(m.pieces.begin() + 5); }), "255 byte"));
  EXPECT_TRUE(contains(refusal([](auto& m) { m.byte_fallback = false; }), "byte fallback is off"));
}

TEST(SentencePieceModel, RefusesSettingsThatMesitaDoesNotSupport) {
  using testing::contains;
  EXPECT_TRUE(contains(refusal([](auto& m) { m.whitespace_as_suffix = true; }), "suffix"));
  EXPECT_TRUE(contains(refusal([](auto& m) { m.escapes_whitespace = false; }), "escape"));
  EXPECT_TRUE(contains(refusal([](auto& m) { m.algorithm = SentencePieceModel::Algorithm::word; }),
                       "whole words"));
  EXPECT_TRUE(contains(refusal([](auto& m) { m.algorithm = SentencePieceModel::Algorithm(5); }),
                       "model_type 5"));
}

TEST(SentencePieceModel, RefusesADamagedNormalizationTable) {
  for (const std::string& table : {std::string("x"), std::string(4, '\0'),
                                   std::string("\x10\x00\x00\x00", 4) + std::string(64, '\0'),
                                   std::string("\xFF\xFF\xFF\xFF", 4) + std::string(2000, '\0'),
                                   std::string("\x00\x04\x00\x00", 4) + std::string(1024, '\0'),
                                   std::string("\x00\x04\x00\x00", 4) + std::string(1025, 'x')}) {
    EXPECT_TRUE(testing::contains(refusal([&](auto& m) { m.normalization_table = table; }),
                                  "precompiled_charsmap"));
  }
}

TEST(SentencePieceModel, RefusesEveryTruncationAndOtherFiles) {
  const std::string whole = testing::tiny_sentencepiece_model();
  EXPECT_NO_THROW(parse_sentencepiece_model(whole));
  for (size_t size = 0; size < whole.size(); ++size) {
    ASSERT_THROW(parse_sentencepiece_model(std::string_view(whole).substr(0, size)),
                 std::runtime_error)
        << size << " of " << whole.size();
  }
  for (const char* other :
       {"{\"format\": 1}", "Once upon a time there was a table.\n", "PK\x03\x04"}) {
    EXPECT_THROW(parse_sentencepiece_model(other), std::runtime_error) << other;
  }
}

TEST(SentencePieceModel, ChangesOnlyTheDummyPrefix) {
  const std::string model = write_model(lossless_model({"a"}));
  const SentencePieceModel changed = parse_sentencepiece_model(with_dummy_prefix(model, true));
  EXPECT_TRUE(changed.adds_dummy_prefix);
  EXPECT_FALSE(changed.removes_extra_whitespace);
  EXPECT_EQ(changed.normalization, "identity");
  EXPECT_EQ(changed.pieces.size(), 260);
  const std::string back = with_dummy_prefix(with_dummy_prefix(model, true), false);
  EXPECT_FALSE(parse_sentencepiece_model(back).adds_dummy_prefix);
}

TEST(SentencePieceModel, ReadsByteNames) {
  EXPECT_EQ(byte_value("<0x00>"), 0);
  EXPECT_EQ(byte_value("<0xAf>"), -1);
  EXPECT_EQ(byte_value("<0xFF>"), 255);
  for (const char* bad : {"", "<0x0>", "<0x000>", "<0x0G>", "00", "<0xFF]", "<1xFF>"}) {
    EXPECT_EQ(byte_value(bad), -1) << bad;
  }
}

}  // namespace
}  // namespace mesita::tokenizer
