#include "server/http/text_track.h"

#include <gtest/gtest.h>

#include "tests/support/byte_tokenizer.h"

namespace mesita::http {
namespace {

using Place = tokenizer::Tokenizer::Place;
using testing::ByteTokenizer;

std::vector<int64_t> offsets_of(const std::string& bytes) {
  const ByteTokenizer tokenizer;
  TextTrack track(tokenizer, Place::start, 0);
  std::vector<int64_t> offsets;
  for (const int32_t id : tokenizer.encode(bytes)) offsets.push_back(track.push(id).offset);
  return offsets;
}

TEST(TextTrack, CountsCodePoints) {
  EXPECT_EQ(count_code_points(""), 0);
  EXPECT_EQ(count_code_points("aé€😀"), 4);
}

TEST(TextTrack, OffsetsAreCodePointsAndInsideACharacterItsBeginning) {
  EXPECT_EQ(offsets_of("ab"), (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(offsets_of("é!"), (std::vector<int64_t>{0, 0, 1}));
  EXPECT_EQ(offsets_of("€😀."), (std::vector<int64_t>{0, 0, 0, 1, 1, 1, 1, 2}));
}

TEST(TextTrack, BrokenCharactersCountAsOneReplacement) {
  EXPECT_EQ(offsets_of("\xE2\x82"
                       "a"),
            (std::vector<int64_t>{0, 0, 1}));
  EXPECT_EQ(offsets_of("\xE2\xE2\x82\xAC!"), (std::vector<int64_t>{0, 1, 1, 1, 2}));
  EXPECT_EQ(offsets_of("\x80\x80"
                       "a"),
            (std::vector<int64_t>{0, 1, 2}));
  EXPECT_EQ(offsets_of("\xE0\x80"
                       "a"),
            (std::vector<int64_t>{0, 1, 2}))
      << "an overlong form";
}

TEST(TextTrack, TextIsTheDecodersAndIsValid) {
  const ByteTokenizer tokenizer;
  const std::string bytes = "x\xF0\x9F\x98\x80y\xC3(\xED\xA0\x80z\xF0\x9F";
  TextTrack track(tokenizer, Place::start, 10);
  std::string text;
  for (const int32_t id : tokenizer.encode(bytes)) text += track.push(id).text;
  text += track.finish();
  EXPECT_EQ(text, tokenizer.decode(tokenizer.encode(bytes)));
  EXPECT_EQ(track.offset(), 10 + count_code_points(text));
}

TEST(TextTrack, SpecialTokensAddNothing) {
  const ByteTokenizer tokenizer;
  TextTrack track(tokenizer, Place::start, 0);
  track.push('a');
  const TextTrack::Step end = track.push(tokenizer.end());
  EXPECT_EQ(end.text, "");
  EXPECT_EQ(end.shown, "");
  EXPECT_EQ(end.offset, 1);
}

TEST(TextTrack, TellsThePlaceOfEachToken) {
  const ByteTokenizer tokenizer;
  TextTrack track(tokenizer, Place::start, 0);
  EXPECT_EQ(track.push(tokenizer.end()).place, Place::start);
  EXPECT_EQ(track.push('a').place, Place::start) << "a special token does not begin the text";
  EXPECT_EQ(track.push('b').place, Place::inside);
}

TEST(TextTrack, WithoutTextOnlyTheTokensAreShown) {
  const auto tokenizer = tokenizer::make_idless_tokenizer(20);
  TextTrack track(*tokenizer, Place::start, 0);
  const TextTrack::Step first = track.push(7);
  EXPECT_EQ(first.text, "");
  EXPECT_EQ(first.shown, "token_id:7");
  EXPECT_EQ(track.push(8).offset, 0);
}

}  // namespace
}  // namespace mesita::http
