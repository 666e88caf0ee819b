#include "tokenizer/sentencepiece_tokenizer.h"

#include <gtest/gtest.h>
#include <sentencepiece_processor.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <stdexcept>

#include "tests/support/files.h"
#include "tests/support/message.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tiny_tokenizer.h"
#include "tests/tokenizer/data_folder.h"
#include "tests/tokenizer/model_writer.h"
#include "tests/tokenizer/random_text.h"
#include "tokenizer/text_segments.h"

namespace mesita::tokenizer {
namespace {

using testing::byte_id;
using testing::lossless_model;
using testing::write_model;

const std::string kBlank = "\xE2\x96\x81";

SentencePieceTokenizer tokenizer_of(const SentencePieceModel& model) {
  return SentencePieceTokenizer(write_model(model));
}

/// Spans in order, without hole or overlap.
void expect_cover(const std::vector<Span>& spans, const std::string& text) {
  size_t covered = 0;
  for (const Span& span : spans) {
    ASSERT_EQ(span.begin, covered);
    ASSERT_GE(span.end, span.begin);
    covered = span.end;
  }
  ASSERT_EQ(covered, spans.empty() ? 0 : text.size());
}

/// Text -> ids -> text is exact, and every id covers the bytes that it decodes to.
void expect_lossless(const Tokenizer& tokenizer, const std::string& text) {
  const std::vector<Span> spans = tokenizer.encode_with_spans(text);
  std::vector<int32_t> ids;
  bool first = true;
  for (const Span& span : spans) {
    ids.push_back(span.id);
    const auto place = first ? Tokenizer::Place::start : Tokenizer::Place::inside;
    first = false;
    const std::string bytes = tokenizer.bytes_of(span.id, place);
    ASSERT_EQ(bytes, text.substr(span.begin, span.end - span.begin));
    ASSERT_FALSE(tokenizer.special_name(span.id)) << "a text must not become a special id";
  }
  expect_cover(spans, text);
  ASSERT_EQ(ids, tokenizer.encode(text));
  ASSERT_EQ(tokenizer.decode(ids), text) << ::testing::PrintToString(text);
}

std::vector<std::string> awkward_texts() {
  return {"",
          " ",
          "   ",
          "a",
          " a",
          "  a  b ",
          "a\tb\n\n c\r\n",
          "\n",
          "\t",
          std::string(1, '\0'),
          std::string("a\0 \0b", 5),
          kBlank,
          kBlank + kBlank,
          " " + kBlank + " ",
          "a" + kBlank + "the" + kBlank + " the",
          "\xE2\x96\x85",
          "x\xE2\x96\x85y",
          "\xF0\x9F\x98\x80\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x9A\x80",
          "\xEE\x80\x80\xF3\xB0\x80\x80\xF4\x8F\xBF\xBF\xEF\xBF\xBF",
          "<s>the</s><unk><0x41><pad>",
          "\xEF\xBB\xBF"
          "the \xEF\xBF\xBD",
          "12345 7"};
}

TEST(SentencePieceTokenizer, MergesInOrder) {
  const auto tokenizer = tokenizer_of(lossless_model({kBlank, "a", "b", "ab", kBlank + "ab"}));
  EXPECT_EQ(tokenizer.kind(), "sentencepiece");
  EXPECT_EQ(tokenizer.size(), 264);
  EXPECT_EQ(tokenizer.encode("ab ab"), (std::vector<int32_t>{262, 263}));
  EXPECT_EQ(tokenizer.encode("ba!"), (std::vector<int32_t>{261, 260, byte_id('!')}));
}

TEST(SentencePieceTokenizer, IsLosslessForEveryText) {
  const SentencePieceTokenizer trained(testing::tiny_sentencepiece_model());
  const auto plain = lossless_model({kBlank, "a", "b", "ab", kBlank + "a", kBlank + kBlank});
  auto prefixed = plain;
  prefixed.adds_dummy_prefix = true;
  const auto blankless = lossless_model({"a", "b", "ab"});
  auto prefixed_blankless = blankless;
  prefixed_blankless.adds_dummy_prefix = true;
  auto unigram = prefixed;
  unigram.algorithm = SentencePieceModel::Algorithm::unigram;
  std::mt19937 random(3);
  for (const auto& tokenizer :
       {trained, tokenizer_of(plain), tokenizer_of(prefixed), tokenizer_of(blankless),
        tokenizer_of(prefixed_blankless), tokenizer_of(unigram)}) {
    for (const std::string& text : awkward_texts()) expect_lossless(tokenizer, text);
    for (int i = 0; i < 200; ++i) expect_lossless(tokenizer, testing::random_text(random, 25));
  }
}

TEST(SentencePieceTokenizer, EncodesItsBlankMarkAsBytes) {
  const auto tokenizer = tokenizer_of(lossless_model({kBlank, "a"}));
  EXPECT_EQ(tokenizer.encode(kBlank + " a"),
            (std::vector<int32_t>{byte_id(0xE2), byte_id(0x96), byte_id(0x81), 259, 260}));
}

TEST(SentencePieceTokenizer, DropsTheDummyPrefixAtTheStartOnly) {
  auto model = lossless_model({kBlank, "a", kBlank + "a"});
  model.adds_dummy_prefix = true;
  const auto tokenizer = tokenizer_of(model);
  EXPECT_EQ(tokenizer.encode("a a"), (std::vector<int32_t>{261, 261}));
  EXPECT_EQ(tokenizer.bytes_of(261, Tokenizer::Place::start), "a");
  EXPECT_EQ(tokenizer.bytes_of(261, Tokenizer::Place::inside), " a");
  EXPECT_EQ(tokenizer.decode({1, 261, 261, 2}), "a a");
  EXPECT_EQ(tokenizer.decode({1, 261, 2}, Tokenizer::Specials::spelled), "<s>a</s>");
  const auto spans = tokenizer.encode_with_spans("\ta");
  ASSERT_EQ(spans.size(), 3);  // the prefix, which covers nothing, the tab, the letter
  EXPECT_EQ(spans[0].end, 0);
}

TEST(SentencePieceTokenizer, TakesNamesOfSpecialsAsText) {
  const auto tokenizer = tokenizer_of(lossless_model({kBlank, "<", "s", ">"}));
  EXPECT_EQ(tokenizer.encode("<s>"), (std::vector<int32_t>{260, 261, 262}));
  EXPECT_EQ(tokenizer.encode("</s>").size(), 4);
  EXPECT_EQ(tokenizer.special_name(1), "<s>");
  EXPECT_EQ(tokenizer.special_id("</s>"), 2);
  EXPECT_EQ(tokenizer.special_id("<unk>"), 0);
  EXPECT_EQ(tokenizer.special_id("<0x41>"), std::nullopt);
  EXPECT_EQ(tokenizer.special_name(260), std::nullopt);
  EXPECT_EQ(tokenizer.special_name(-1), std::nullopt);
  EXPECT_EQ(tokenizer.special_name(999), std::nullopt);
}

TEST(SentencePieceTokenizer, RefusesInvalidTextAndForeignIds) {
  const SentencePieceTokenizer tokenizer(testing::tiny_sentencepiece_model());
  for (const char* bad : {"ab\xFF", "ab\xC0\x80", "ab\xED\xA0\x80", "ab\xF0\x9F\x98"}) {
    const std::string message =
        testing::message_of<std::invalid_argument>([&] { tokenizer.encode(bad); });
    EXPECT_TRUE(testing::contains(message, "at byte 2")) << message;
  }
  for (const int32_t id : {-1, 320, 2147483647, -2147483647 - 1}) {
    EXPECT_THROW(tokenizer.bytes_of(id, Tokenizer::Place::inside), std::invalid_argument);
    EXPECT_THROW(tokenizer.decode({id}), std::invalid_argument);
  }
}

TEST(SentencePieceTokenizer, GivesEachByteItsSpan) {
  const auto tokenizer = tokenizer_of(lossless_model({kBlank, "a"}));
  const std::string text = "a\xF0\x9F\x98\x80\xC3\xA9 a";
  const std::vector<Span> spans = tokenizer.encode_with_spans(text);
  ASSERT_EQ(spans.size(), 9);
  for (size_t i = 0; i < spans.size(); ++i) {
    EXPECT_EQ(spans[i].begin, i);
    EXPECT_EQ(spans[i].end, i + 1);
  }
}

TEST(SentencePieceTokenizer, CutsLongTextsWithoutATrace) {
  const std::string serialized = testing::tiny_sentencepiece_model();
  const SentencePieceTokenizer tokenizer(serialized);
  sentencepiece::SentencePieceProcessor reference;
  ASSERT_TRUE(reference.LoadFromSerializedProto(serialized).ok());
  const std::string text = testing::tiny_text(3000);
  ASSERT_GT(text.size(), 4 * kSegmentBytes);
  std::vector<int> expected;
  ASSERT_TRUE(reference.Encode(text, &expected).ok());
  EXPECT_EQ(tokenizer.encode(text), expected);
  expect_lossless(tokenizer, text);
}

TEST(SentencePieceTokenizer, EncodesLongLinesInLinearTime) {
  const SentencePieceTokenizer tokenizer(testing::tiny_sentencepiece_model());
  std::string emoji;
  while (emoji.size() < 250000) emoji += "\xF0\x9F\x98\x80";
  std::string marks;
  while (marks.size() < 250000) marks += "a" + kBlank;
  for (const std::string& text :
       {std::string(250000, 'a'), std::string(250000, ' '), emoji, marks}) {
    const auto begin = std::chrono::steady_clock::now();
    expect_lossless(tokenizer, text);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
  }
}

TEST(SentencePieceTokenizer, WorksWithModelsThatLoseText) {
  auto model = lossless_model({kBlank, "a", "b", kBlank + "a"});
  model.adds_dummy_prefix = true;
  model.removes_extra_whitespace = true;
  const auto collapsing = tokenizer_of(model);
  EXPECT_EQ(collapsing.decode(collapsing.encode("  a   b ")), "a b");
  expect_cover(collapsing.encode_with_spans("  a   b "), "  a   b ");
  EXPECT_TRUE(collapsing.encode_with_spans("   ").empty());
  std::string words;
  while (words.size() < 3 * kSegmentBytes) words += "a b ";
  words += "a";
  EXPECT_EQ(collapsing.decode(collapsing.encode(words)), words);
  model.adds_dummy_prefix = false;
  const auto bare = tokenizer_of(model);
  EXPECT_EQ(bare.decode(bare.encode(words)), words);

  model.pieces.erase(model.pieces.begin() + 3, model.pieces.begin() + 259);
  model.byte_fallback = false;
  const auto unknowing = tokenizer_of(model);
  const std::vector<Span> spans = unknowing.encode_with_spans("a\xF0\x9F\x98\x80!b");
  ASSERT_EQ(spans.size(), 3);
  EXPECT_EQ(spans[1].id, 0);
  EXPECT_EQ(spans[1].end, 6);
  EXPECT_EQ(unknowing.decode({4, 0, 5}, Tokenizer::Specials::spelled), "a<unk>b");
}

TEST(SentencePieceTokenizer, SavesAndLoadsTheSameBytes) {
  const SentencePieceTokenizer tokenizer(testing::tiny_sentencepiece_model());
  const testing::TemporaryDirectory folder;
  tokenizer.save(folder / "tokenizer");
  const auto loaded = load_sentencepiece_tokenizer(folder / "tokenizer" / "tokenizer.model");
  EXPECT_EQ(loaded->hash(), tokenizer.hash());
  EXPECT_EQ(loaded->hash().size(), 64);
  EXPECT_EQ(loaded->encode("Mia saw a leg"), tokenizer.encode("Mia saw a leg"));
}

TEST(SentencePieceTokenizer, NamesTheFileThatIsNoModel) {
  const testing::TemporaryDirectory folder;
  const std::filesystem::path file = folder / "bad.model";
  for (const std::string& content :
       {std::string(), std::string("hello"), testing::tiny_sentencepiece_model().substr(0, 1000)}) {
    testing::write_file(file, content);
    const std::string message =
        testing::message_of<std::runtime_error>([&] { load_sentencepiece_tokenizer(file); });
    EXPECT_TRUE(message.starts_with(file.string() + ": ")) << message;
  }
}

class RealTokenizer : public ::testing::TestWithParam<const char*> {};

TEST_P(RealTokenizer, KeepsTheirPromises) {
  const std::string name = std::string("tokenizers/") + GetParam() + ".model";
  MESITA_NEEDS_DATA(name);
  const auto tokenizer = load_sentencepiece_tokenizer(testing::data_folder() / name);
  std::mt19937 random(4);
  std::vector<std::string> texts = awkward_texts();
  for (int i = 0; i < 200; ++i) texts.push_back(testing::random_text(random, 25));
  for (const std::string& text : texts) {
    if (tokenizer->model().lossless()) {
      expect_lossless(*tokenizer, text);
    } else {
      expect_cover(tokenizer->encode_with_spans(text), text);
    }
  }
  for (int32_t id = 0; id < tokenizer->size(); ++id) tokenizer->decode({id, id});
}

TEST_P(RealTokenizer, AgreesWithSentencePieceOnABook) {
  const std::string name = std::string("tokenizers/") + GetParam() + ".model";
  const std::string book = "classic/aesop-for-children.txt";
  MESITA_NEEDS_DATA(name);
  MESITA_NEEDS_DATA(book);
  const auto tokenizer = load_sentencepiece_tokenizer(testing::data_folder() / name);
  sentencepiece::SentencePieceProcessor reference;
  ASSERT_TRUE(
      reference.LoadFromSerializedProto(testing::read_file(testing::data_folder() / name)).ok());
  const std::string text = testing::read_file(testing::data_folder() / book);
  std::vector<int> expected;
  ASSERT_TRUE(reference.Encode(text, &expected).ok());
  EXPECT_EQ(tokenizer->encode(text), expected);
}

INSTANTIATE_TEST_SUITE_P(Data, RealTokenizer,
                         ::testing::Values("ts-bpe512", "ts-bpe2048", "ts-bpe4096",
                                           "tinystories-bpe8192", "sp-test-unigram1000"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace mesita::tokenizer
