#include "tokenizer/huggingface_tokenizer.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace mesita::tokenizer {
namespace {

SentencePieceModel small() {
  SentencePieceModel model;
  model.algorithm = SentencePieceModel::Algorithm::bpe;
  model.adds_dummy_prefix = model.removes_extra_whitespace = false;
  model.normalization = "identity";
  model.pieces = {{"<unk>", 0, PieceKind::unknown},   {"<s>", 0, PieceKind::control},
                  {"ab", -1, PieceKind::normal},      {"abc", -2, PieceKind::normal},
                  {"bc", -3, PieceKind::normal},      {"a", -4, PieceKind::normal},
                  {"b", -5, PieceKind::normal},       {"c", -6, PieceKind::normal},
                  {"\xC3\xA9", -7, PieceKind::normal}};
  return model;
}

// What the merges do to real texts is tested with the library itself (acceptance.transformers).
TEST(HuggingfaceTokenizer, MergesComeInTheOrderOfScores) {
  const auto json = nlohmann::json::parse(huggingface_tokenizer(small()));
  EXPECT_EQ(json["model"]["type"], "BPE");
  EXPECT_EQ(json["model"]["vocab"]["bc"], 4);
  EXPECT_EQ(json["model"]["merges"],
            nlohmann::json::parse(R"([["a","b"],["ab","c"],["a","bc"],["b","c"]])"));
  EXPECT_EQ(json["added_tokens"].size(), 2u);
  EXPECT_EQ(json["added_tokens"][1]["content"], "<s>");
  EXPECT_EQ(json["normalizer"]["normalizers"].size(), 1u);
}

TEST(HuggingfaceTokenizer, KnowsUnigramAndTheBlankInFront) {
  SentencePieceModel model = small();
  model.algorithm = SentencePieceModel::Algorithm::unigram;
  model.adds_dummy_prefix = true;
  const auto json = nlohmann::json::parse(huggingface_tokenizer(model));
  EXPECT_EQ(json["model"]["type"], "Unigram");
  EXPECT_EQ(json["model"]["unk_id"], 0);
  EXPECT_EQ(json["model"]["vocab"][2][0], "ab");
  EXPECT_EQ(json["normalizer"]["normalizers"][0]["type"], "Prepend");
}

TEST(HuggingfaceTokenizer, RefusesWhatItWouldChange) {
  SentencePieceModel model = small();
  model.removes_extra_whitespace = true;
  EXPECT_THROW(huggingface_tokenizer(model), std::invalid_argument);
  model = small();
  model.normalization = "nmt_nfkc";
  model.normalization_table = "x";
  EXPECT_THROW(huggingface_tokenizer(model), std::invalid_argument);
  model = small();
  model.pieces[3].kind = PieceKind::user_defined;
  EXPECT_THROW(huggingface_tokenizer(model), std::invalid_argument);
  model = small();
  model.algorithm = SentencePieceModel::Algorithm::word;
  EXPECT_THROW(huggingface_tokenizer(model), std::invalid_argument);
}

}  // namespace
}  // namespace mesita::tokenizer
