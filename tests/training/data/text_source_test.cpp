#include "training/data/text_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace mesita::training {
namespace {

constexpr int32_t kStart = 1, kEnd = 2;

// Documents <s> 10+i 10+i </s>.
std::shared_ptr<TokenDocuments> numbered(int count) {
  auto documents = std::make_shared<TokenDocuments>();
  documents->start = kStart;
  documents->end = kEnd;
  for (int32_t i = 0; i < count; ++i) {
    documents->documents.push_back({kStart, 10 + i, 10 + i, kEnd});
    documents->tokens += 4;
  }
  return documents;
}

// The numbers of the documents that begin in the next `count` positions.
std::vector<int64_t> order_of(TextSource& source, int count) {
  std::vector<int64_t> order;
  while (static_cast<int>(order.size()) < count) {
    const TokenBatch batch = source.next();
    for (size_t i = 0; i < batch.ids.size(); ++i) {
      if (batch.ids[i] == kStart) order.push_back(batch.targets[i] - 10);
    }
  }
  return order;
}

TEST(TextSource, EveryEpochHasEachDocumentOnceInAnOrderOfItsOwn) {
  TextSource source(numbered(50), 3, 1, 200);  // a row is an epoch
  const auto all = order_of(source, 150);
  std::vector<std::vector<int64_t>> epochs;
  for (int e = 0; e < 3; ++e) {
    epochs.emplace_back(all.begin() + 50 * e, all.begin() + 50 * (e + 1));
    auto sorted = epochs.back();
    std::sort(sorted.begin(), sorted.end());
    for (int64_t i = 0; i < 50; ++i) EXPECT_EQ(sorted[static_cast<size_t>(i)], i);
  }
  EXPECT_NE(epochs[0], epochs[1]);
  EXPECT_NE(epochs[1], epochs[2]);
}

TEST(TextSource, TheOrderDependsOnTheSeedAlone) {
  TextSource a(numbered(50), 3, 2, 30), b(numbered(50), 3, 2, 30), c(numbered(50), 4, 2, 30);
  const auto order = order_of(a, 100);
  EXPECT_EQ(order, order_of(b, 100));
  EXPECT_NE(order, order_of(c, 100));
}

TEST(TextSource, GoesOnFromItsCursor) {
  for (int batches = 0; batches < 30; ++batches) {  // 5 documents: an epoch is less than 3 batches
    TextSource source(numbered(5), 3, 2, 7), resumed(numbered(5), 3, 2, 7);
    for (int i = 0; i < batches; ++i) source.next();
    resumed.seek(source.cursor());
    EXPECT_EQ(resumed.cursor(), source.cursor());
    for (int i = 0; i < 4; ++i) {
      const TokenBatch expected = source.next(), batch = resumed.next();
      ASSERT_EQ(batch.ids, expected.ids) << batches;
      ASSERT_EQ(batch.targets, expected.targets) << batches;
    }
  }
}

TEST(TextSource, RefusesForeignCursors) {
  TextSource source(numbered(5), 3, 2, 7);
  for (const char* cursor :
       {"", "1", "1:2", "1:6:1", "1:0:1", "0:1:1", "1:1:5", "1:1:-1", "1:1:1x", "-1:1:1", "a:b:c"})
    EXPECT_THROW(source.seek(cursor), std::invalid_argument) << cursor;
}

TEST(TextSource, RefusesToBeEmpty) {
  EXPECT_THROW(TextSource(std::make_shared<TokenDocuments>(), 1, 1, 4), std::invalid_argument);
}

TEST(TextSource, ManyRowsOfOneShortDocumentEndAndRepeat) {
  TextSource source(numbered(1), 1, 4, 64);
  const TokenBatch batch = source.next();
  EXPECT_EQ(batch.scored, 4 * 64 * 3 / 4);
}

std::vector<int32_t> bytes_by_id() {
  std::vector<int32_t> bytes(100, 0);
  for (size_t id = 10; id < 100; ++id) bytes[id] = 3;
  return bytes;
}

TEST(TextEvaluationSet, ScoresTheFirstTokensInOrderWhateverTheBatch) {
  const auto documents = numbered(20);
  for (const int64_t rows : {1, 3, 8}) {
    const EvaluationSet set = text_evaluation_set(*documents, 31, rows, 9, bytes_by_id());
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
    EXPECT_EQ(set.bytes, 3 * (31 - 10));  // ends carry no bytes
  }
}

TEST(TextEvaluationSet, TakesAllDocumentsWhenThereAreFewerTokens) {
  const EvaluationSet set = text_evaluation_set(*numbered(5), 1000, 2, 8, bytes_by_id());
  EXPECT_EQ(set.scored, 15);
  for (const TokenBatch& batch : set.batches) {
    for (const int64_t id : batch.ids) EXPECT_GE(id, 0);  // padding is a valid id
  }
}

TEST(TextEvaluationSet, RefusesToBeEmpty) {
  EXPECT_THROW(text_evaluation_set(TokenDocuments{}, 10, 1, 4, bytes_by_id()),
               std::invalid_argument);
}

}  // namespace
}  // namespace mesita::training
