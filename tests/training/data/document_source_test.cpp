#include "training/data/document_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "training/data/document_list.h"

namespace mesita::training {
namespace {

constexpr int32_t kStart = 1, kEnd = 2;

// Documents <s> 10+i 10+i </s>.
std::shared_ptr<DocumentList> numbered(int count) {
  auto documents = std::make_shared<DocumentList>(DocumentMarks{kStart, kEnd});
  for (int32_t i = 0; i < count; ++i) documents->add({kStart, 10 + i, 10 + i, kEnd}, 2);
  return documents;
}

// The numbers of the documents that begin in the next `count` positions.
std::vector<int64_t> order_of(DocumentSource& source, int count) {
  std::vector<int64_t> order;
  while (static_cast<int>(order.size()) < count) {
    const TokenBatch batch = source.next();
    for (size_t i = 0; i < batch.ids.size(); ++i) {
      if (batch.ids[i] == kStart) order.push_back(batch.targets[i] - 10);
    }
  }
  return order;
}

TEST(DocumentSource, EveryEpochHasEachDocumentOnceInAnOrderOfItsOwn) {
  DocumentSource source(numbered(50), 3, {1, 200});  // a row is an epoch
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

TEST(DocumentSource, TheOrderDependsOnTheSeedAlone) {
  DocumentSource a(numbered(50), 3, {2, 30}), b(numbered(50), 3, {2, 30}),
      c(numbered(50), 4, {2, 30});
  const auto order = order_of(a, 100);
  EXPECT_EQ(order, order_of(b, 100));
  EXPECT_NE(order, order_of(c, 100));
}

TEST(DocumentSource, GoesOnFromItsCursor) {
  for (int batches = 0; batches < 30; ++batches) {  // 5 documents: an epoch is less than 3 batches
    DocumentSource source(numbered(5), 3, {2, 7}), resumed(numbered(5), 3, {2, 7});
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

TEST(DocumentSource, RefusesForeignCursors) {
  DocumentSource source(numbered(5), 3, {2, 7});
  for (int i = 0; i < 3; ++i) source.next();
  const std::string before = source.cursor();
  for (const char* cursor : {"", "1", "1;0;8", "1;0;8;0/2;0/1", "1;1;8;0/2", "1;;0;0/0",
                             "5;0;8;0/2", "-1;0;8;0/2", "1;0;8;0/6", "1;0;8;-1/2", "1;0;8;0/0",
                             "1;0;x;0/2", "1;0;8;0", "1;0;8;0/2x", "a;b;c;d/e"}) {
    EXPECT_THROW(source.seek(cursor), std::invalid_argument) << cursor;
    EXPECT_EQ(source.cursor(), before);
  }
}

TEST(DocumentSource, RefusesToBeEmpty) {
  EXPECT_THROW(
      DocumentSource(std::make_shared<DocumentList>(DocumentMarks{kStart, kEnd}), 1, {1, 4}),
      std::invalid_argument);
}

TEST(DocumentSource, ManyRowsOfOneShortDocumentEndAndRepeat) {
  DocumentSource source(numbered(1), 1, {4, 64});
  const TokenBatch batch = source.next();
  EXPECT_EQ(batch.scored, 4 * 64 * 3 / 4);
}

// Documents <s> 10+i 10+i </s>, even ones in set "even".
std::shared_ptr<DocumentList> two_sets(int count) {
  auto documents = std::make_shared<DocumentList>(DocumentMarks{kStart, kEnd});
  for (int32_t i = 0; i < count; ++i)
    documents->add({kStart, 10 + i, 10 + i, kEnd}, 2, i % 2 == 0 ? "even" : "odd");
  return documents;
}

TEST(DocumentSource, WeightsMultiplyTheShareOfASet) {
  DocumentSource source(two_sets(40), 3, {1, 40}, {{"odd", 3.0}});
  int64_t odd = 0;
  for (const int64_t number : order_of(source, 400)) odd += number % 2;
  EXPECT_NEAR(static_cast<double>(odd), 300.0, 2.0);
}

TEST(DocumentSource, AWeightOfZeroLeavesASetOut) {
  DocumentSource source(two_sets(40), 3, {1, 40}, {{"odd", 0.0}});
  std::map<int64_t, int> seen;
  for (const int64_t number : order_of(source, 40)) ++seen[number];
  EXPECT_EQ(seen.size(), 20u);
  for (const auto& [number, times] : seen) {
    EXPECT_EQ(number % 2, 0);
    EXPECT_EQ(times, 2);
  }
  EXPECT_THROW(DocumentSource(two_sets(4), 3, {1, 4}, {{"none", 1.0}}), std::invalid_argument);
}

TEST(DocumentSource, WithWeightsItGoesOnFromItsCursor) {
  const std::map<std::string, double> weights{{"odd", 0.5}};
  for (int batches = 0; batches < 30; ++batches) {
    DocumentSource source(two_sets(5), 3, {2, 7}, weights),
        resumed(two_sets(5), 3, {2, 7}, weights);
    for (int i = 0; i < batches; ++i) source.next();
    resumed.seek(source.cursor());
    EXPECT_EQ(resumed.cursor(), source.cursor());
    for (int i = 0; i < 4; ++i) ASSERT_EQ(resumed.next().targets, source.next().targets);
  }
}

}  // namespace
}  // namespace mesita::training
