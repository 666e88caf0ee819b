#include "tokenizer/sentencepiece_trainer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

#include "tests/support/message.h"
#include "tests/support/tiny_tokenizer.h"
#include "tokenizer/sentencepiece_tokenizer.h"

namespace mesita::tokenizer {
namespace {

std::vector<std::string> tiny_documents(int count) {
  std::vector<std::string> documents;
  for (int i = 0; i < count; ++i) documents.push_back(testing::tiny_text(4, 4 * i));
  return documents;
}

TrainedSentencePiece train(const std::vector<std::string>& documents,
                           const SentencePieceOptions& options) {
  size_t next = 0;
  return train_sentencepiece(
      [&](std::string& document) {
        if (next == documents.size()) return false;
        document = documents[next++];
        return true;
      },
      options);
}

SentencePieceOptions small(SentencePieceOptions::Algorithm algorithm) {
  SentencePieceOptions options;
  options.algorithm = algorithm;
  options.vocabulary = 300;
  return options;
}

class Trainer : public ::testing::TestWithParam<SentencePieceOptions::Algorithm> {};

TEST_P(Trainer, MakesALosslessVocabulary) {
  const TrainedSentencePiece trained = train(tiny_documents(60), small(GetParam()));
  const SentencePieceTokenizer tokenizer(trained.model);
  EXPECT_EQ(tokenizer.size(), 300);
  EXPECT_TRUE(tokenizer.model().lossless());
  EXPECT_FALSE(tokenizer.model().adds_dummy_prefix);
  EXPECT_EQ(tokenizer.special_id("<unk>"), 0);
  EXPECT_EQ(tokenizer.special_id("<s>"), 1);
  EXPECT_EQ(tokenizer.special_id("</s>"), 2);
  EXPECT_EQ(tokenizer.bytes_of(3, Tokenizer::Place::inside), std::string(1, '\0'));
  const std::string text = testing::tiny_text(10);
  EXPECT_EQ(tokenizer.decode(tokenizer.encode(text)), text);
  EXPECT_LT(tokenizer.encode(text).size(), text.size() * 3 / 4);
  EXPECT_EQ(trained.report.documents, 60);
  EXPECT_EQ(trained.report.sentences, 60);
  EXPECT_EQ(trained.report.cut_documents, 0);
}

TEST_P(Trainer, RepeatsItselfExactly) {
  const auto documents = tiny_documents(60);
  EXPECT_EQ(train(documents, small(GetParam())).model, train(documents, small(GetParam())).model);
  SentencePieceOptions sampled = small(GetParam());
  sampled.sentences = 101;
  const auto more = tiny_documents(200);
  EXPECT_EQ(train(more, sampled).model, train(more, sampled).model);
}

TEST_P(Trainer, SaysWhichVocabularyFits) {
  using testing::contains;
  SentencePieceOptions options = small(GetParam());
  options.vocabulary = 100000;
  const auto refusal = [&] {
    return testing::message_of<std::runtime_error>([&] { train(tiny_documents(60), options); });
  };
  EXPECT_TRUE(contains(refusal(), "too high")) << refusal();
  options.vocabulary = 262;
  EXPECT_TRUE(contains(refusal(), "smaller than required")) << refusal();
}

INSTANTIATE_TEST_SUITE_P(Both, Trainer,
                         ::testing::Values(SentencePieceOptions::Algorithm::bpe,
                                           SentencePieceOptions::Algorithm::unigram),
                         [](const auto& test) {
                           const bool bpe = test.param == SentencePieceOptions::Algorithm::bpe;
                           return std::string(bpe ? "Bpe" : "Unigram");
                         });

TEST(SentencePieceTrainer, LearnsNewlinesAndSplitsDigits) {
  std::vector<std::string> documents(50, "in 1984 and 1984\nin 1984 and 1984\n");
  SentencePieceOptions options;
  options.vocabulary = 274;
  options.split_digits = true;
  const SentencePieceTokenizer split(train(documents, options).model);
  EXPECT_TRUE(std::any_of(split.model().pieces.begin(), split.model().pieces.end(),
                          [](const Piece& piece) { return piece.text == "\n"; }));
  const auto has_digits = [](const SentencePieceTokenizer& tokenizer) {
    return std::any_of(
        tokenizer.model().pieces.begin(), tokenizer.model().pieces.end(),
        [](const Piece& piece) { return piece.text.find("198") != std::string::npos; });
  };
  EXPECT_FALSE(has_digits(split));
  options.split_digits = false;
  EXPECT_TRUE(has_digits(SentencePieceTokenizer(train(documents, options).model)));
}

TEST(SentencePieceTrainer, SkipsNothingOfLongDocuments) {
  // A word that stands only behind 70,000 bytes must be learned. The document has no place to cut,
  // and SentencePiece would crash on words of 32,768 characters.
  std::string document(70000, 'x');
  for (int i = 0; i < 50; ++i) document += "\nlantern";
  SentencePieceOptions options;
  options.vocabulary = 280;
  const TrainedSentencePiece trained = train({document, ""}, options);
  EXPECT_EQ(trained.report.documents, 2);
  EXPECT_EQ(trained.report.empty_documents, 1);
  EXPECT_EQ(trained.report.cut_documents, 1);
  EXPECT_EQ(trained.report.sentences, 5);
  EXPECT_EQ(trained.report.bytes, static_cast<int64_t>(document.size()));
  EXPECT_EQ(SentencePieceTokenizer(trained.model).encode("lantern").size(), 1);
}

TEST(SentencePieceTrainer, CutsReservedCharactersOutOfTheirSentence) {
  // SentencePiece would skip every sentence with U+2585.
  std::vector<std::string> documents(30, "\xE2\x96\x85lantern \xE2\x96\x81lantern\xE2\x96\x85");
  SentencePieceOptions options;
  options.vocabulary = 273;
  const TrainedSentencePiece trained = train(documents, options);
  EXPECT_EQ(trained.report.reserved_characters, 90);
  EXPECT_EQ(trained.report.sentences, 60);
  EXPECT_EQ(SentencePieceTokenizer(trained.model).encode("lantern").size(), 1);
}

TEST(SentencePieceTrainer, RefusesOptionsOutOfRange) {
  const auto refuse = [](auto change) {
    SentencePieceOptions options;
    change(options);
    EXPECT_THROW(train(tiny_documents(60), options), std::invalid_argument);
  };
  for (const int64_t size : {int64_t{-1}, int64_t{0}, int64_t{259}, int64_t{1} << 40}) {
    refuse([&](auto& options) { options.vocabulary = size; });
  }
  for (const double share : {0.0, 0.5, 1.1, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    refuse([&](auto& options) { options.coverage = share; });
  }
  for (const int64_t count : {int64_t{-1}, int64_t{100}, int64_t{1} << 40}) {
    refuse([&](auto& options) { options.sentences = count; });
  }
}

TEST(SentencePieceTrainer, RefusesUnfitDocuments) {
  const SentencePieceOptions options = small(SentencePieceOptions::Algorithm::bpe);
  EXPECT_THROW(train({}, options), std::runtime_error);
  EXPECT_THROW(train({"", ""}, options), std::runtime_error);
  EXPECT_THROW(train({"\xE2\x96\x85"}, options), std::runtime_error);
  const std::string message = testing::message_of<std::invalid_argument>([&] {
    train({"fine", "bad \xFF"}, options);
  });
  EXPECT_TRUE(testing::contains(message, "document 2 is not valid UTF-8 at byte 4")) << message;
}

TEST(SentencePieceTrainer, SurvivesTextsWithoutLetters) {
  SentencePieceOptions options;
  options.vocabulary = 260;
  for (const std::string& text :
       {std::string("\t\t\t"), std::string(5, '\0'), std::string("   "), std::string("\n\n\n")}) {
    try {
      const SentencePieceTokenizer tokenizer(train({text}, options).model);
      EXPECT_EQ(tokenizer.decode(tokenizer.encode(text)), text);
    } catch (const std::runtime_error&) {
      // Refusing is fine, dying is not.
    }
  }
}

TEST(SentencePieceTrainer, PassesOnWhatTheDocumentsThrow) {
  struct Lost {};
  int calls = 0;
  const NextDocument next = [&](std::string& document) {
    document = "the table";
    if (++calls > 3) throw Lost();
    return true;
  };
  EXPECT_THROW(train_sentencepiece(next, {}), Lost);
}

}  // namespace
}  // namespace mesita::tokenizer
