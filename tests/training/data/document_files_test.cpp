#include "training/data/document_files.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/message.h"
#include "tests/training/data/packed_texts.h"

namespace mesita::training {
namespace {

RunConfig config_of(std::vector<std::string> train, std::string tokenizer = "") {
  RunConfig config;
  config.data.kind = DataKind::text;
  config.data.train = std::move(train);
  config.data.tokenizer = std::move(tokenizer);
  return config;
}

TEST(DocumentFiles, JoinsTextsAndPacks) {
  const PackedTexts texts;
  const auto a = texts.write_lines("a.jsonl", 5), b = texts.write_lines("b.jsonl", 7, 5);
  pack(texts.request({a}));
  const auto tokenizer = find_tokenizer(config_of({b.string(), (texts / "pack").string()}));
  const DocumentFiles files(*tokenizer, -1);
  const auto mixed = files.read({(texts / "pack").string(), b.string()});
  const auto direct = files.read({a.string(), b.string()});
  ASSERT_EQ(mixed->count(), 12);
  std::vector<int32_t> x, y;
  for (int64_t i = 0; i < 12; ++i) {
    mixed->read(i, x);
    direct->read(i, y);
    EXPECT_EQ(x, y);
  }
  EXPECT_EQ(mixed->sets(), direct->sets());
}

TEST(DocumentFiles, APackOfAnotherTokenizerIsRefused) {
  const PackedTexts texts;
  pack(texts.request({texts.write_lines("a.jsonl", 5)}));
  std::filesystem::create_directory(texts / "other");
  texts.write("other/tokenizer.model", testing::tiny_sentencepiece_model(330));
  const std::string folder = (texts / "pack").string();
  const auto tokenizer = find_tokenizer(config_of({folder}, (texts / "other").string()));
  const std::string refused = testing::message_of<std::runtime_error>(
      [&] { DocumentFiles(*tokenizer, -1).read({folder}); });
  EXPECT_TRUE(testing::contains(refused, "packed with another tokenizer")) << refused;
}

TEST(DocumentFiles, TokenFilesNeedAVocabularyOrATokenizer) {
  const PackedTexts texts;
  const std::string file = texts.write("x.bin", std::string("\5\0\6\0", 4)).string();
  RunConfig config = config_of({file});
  EXPECT_THROW(find_tokenizer(config), std::invalid_argument);
  config.model.vocabulary = 7;
  const auto tokenizer = find_tokenizer(config);
  EXPECT_EQ(tokenizer->kind(), "none");
  EXPECT_EQ(DocumentFiles(*tokenizer, 5).read({file})->count(), 2);
  EXPECT_THROW(find_tokenizer(config_of({"a.txt"})), std::invalid_argument);
}

}  // namespace
}  // namespace mesita::training
