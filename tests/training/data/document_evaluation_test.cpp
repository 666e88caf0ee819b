#include "training/data/document_evaluation.h"

#include <gtest/gtest.h>

#include "training/data/document_list.h"

namespace mesita::training {
namespace {

constexpr int32_t kStart = 1, kEnd = 2;

// Ids from 3 on are symbols of three letters.
const tokenizer::Tokenizer& symbols() {
  static const auto tokenizer = [] {
    std::vector<std::string> names{"<unk>", "<s>", "</s>"};
    for (int i = 3; i < 100; ++i) names.push_back("x" + std::to_string(100 + i).substr(1));
    return tokenizer::make_symbol_tokenizer(names, {"<unk>", "<s>", "</s>"});
  }();
  return *tokenizer;
}

// Documents <s> 10+i 10+i </s>: two symbols and the blank between them.
DocumentList numbered(int count) {
  DocumentList documents({kStart, kEnd});
  for (int32_t i = 0; i < count; ++i) documents.add({kStart, 10 + i, 10 + i, kEnd}, 7);
  return documents;
}

TEST(DocumentEvaluation, ScoresTheFirstTokensInOrderWhateverTheBatch) {
  const DocumentList documents = numbered(20);
  for (const int64_t rows : {1, 3, 8}) {
    const EvaluationSet set = document_evaluation_set(documents, 31, {rows, 9}, symbols());
    std::vector<int64_t> targets;
    int64_t scored = 0;
    for (const TokenBatch& batch : set.batches) {
      scored += batch.scored;
      for (const int64_t target : batch.targets) {
        if (target != kIgnored) targets.push_back(target);
      }
    }
    ASSERT_EQ(targets.size(), 31u);
    EXPECT_EQ(set.scored, 31);
    EXPECT_EQ(scored, 31);
    for (size_t i = 0; i < targets.size(); ++i)
      EXPECT_EQ(targets[i], i % 3 == 2 ? kEnd : static_cast<int64_t>(10 + i / 3));
    EXPECT_EQ(set.bytes, 10 * 7 + 3);  // the last document is cut behind its first symbol
  }
}

TEST(DocumentEvaluation, TakesAllDocumentsWhenThereAreFewerTokens) {
  const EvaluationSet set = document_evaluation_set(numbered(5), 1000, {2, 8}, symbols());
  EXPECT_EQ(set.scored, 15);
  EXPECT_EQ(set.bytes, 35);
  for (const TokenBatch& batch : set.batches) {
    for (const int64_t id : batch.ids) EXPECT_GE(id, 0);  // padding is a valid id
  }
}

TEST(DocumentEvaluation, WithoutAStartTheFirstIdIsNotScored) {
  DocumentList documents({std::nullopt, kEnd});
  documents.add({10, kEnd}, 3);
  documents.add({11, kEnd}, 3);
  EXPECT_EQ(document_evaluation_set(documents, 100, {1, 8}, symbols()).scored, 3);
}

TEST(DocumentEvaluation, RefusesToBeEmpty) {
  EXPECT_THROW(document_evaluation_set(numbered(0), 10, {1, 4}, symbols()), std::invalid_argument);
}

}  // namespace
}  // namespace mesita::training
