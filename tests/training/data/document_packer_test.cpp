#include "training/data/document_packer.h"

#include <gtest/gtest.h>

namespace mesita::training {
namespace {

using Ids = std::vector<int32_t>;
constexpr int32_t kStart = 1, kEnd = 2;
constexpr int64_t N = kIgnored;
constexpr Boundaries kCrossed = Boundaries::crossed;

// The documents again and again.
DocumentStream cycle(std::vector<Ids> documents) {
  return [documents = std::move(documents), next = size_t{0}]() mutable -> const Ids& {
    return documents[next++ % documents.size()];
  };
}

TEST(DocumentPacker, ContinuousRowsOverlapByOneIdAndPredictEveryTokenOnce) {
  DocumentPacker packer(cycle({{kStart, 10, 11, kEnd}, {kStart, 20, kEnd}}), Packing::continuous,
                        kCrossed, kStart, 5);
  const TokenBatch first = packer.next(2);
  EXPECT_EQ(first.ids, (std::vector<int64_t>{1, 10, 11, 2, 1, 20, 2, 1, 10, 11}));
  EXPECT_EQ(first.targets, (std::vector<int64_t>{10, 11, 2, N, 20, 2, N, 10, 11, 2}));
  EXPECT_EQ(first.scored, 8);
  EXPECT_TRUE(first.starts.empty());
  const TokenBatch second = packer.next(1);
  EXPECT_EQ(second.ids, (std::vector<int64_t>{2, 1, 20, 2, 1}));
  EXPECT_EQ(second.targets, (std::vector<int64_t>{N, 20, 2, N, 10}));
}

TEST(DocumentPacker, KnowsWhereEachPositionsDocumentBegins) {
  constexpr Boundaries kKept = Boundaries::kept;
  const std::vector<Ids> documents = {{kStart, 10, 11, kEnd}, {kStart, 20, kEnd}};
  DocumentPacker packer(cycle(documents), Packing::continuous, kKept, kStart, 5);
  EXPECT_EQ(packer.next(2).starts, (std::vector<int64_t>{0, 0, 0, 0, 4, 0, 0, 2, 2, 2}));
  EXPECT_EQ(packer.next(1).starts, (std::vector<int64_t>{0, 1, 1, 1, 4}));
  DocumentPacker whole(cycle(documents), Packing::whole, kKept, kStart, 7, 4);
  EXPECT_EQ(whole.next(1).starts, (std::vector<int64_t>{0, 0, 0, 3, 3, 5, 5}));
}

TEST(DocumentPacker, KnowsItAfterResuming) {
  constexpr Boundaries kKept = Boundaries::kept;
  const Ids document = {kStart, 10, 11, kEnd};
  DocumentPacker packer(cycle({document}), Packing::continuous, kKept, kStart, 3);
  packer.resume(document, 4);
  EXPECT_EQ(packer.next(2).starts, (std::vector<int64_t>{0, 0, 0, 0, 1, 1}));
  packer.resume(document, 1);
  EXPECT_EQ(packer.next(1).starts, (std::vector<int64_t>{0, 1, 1}));
}

TEST(DocumentPacker, WithoutAStartEveryPositionIsScored) {
  DocumentPacker packer(cycle({{10, kEnd}}), Packing::continuous, kCrossed, std::nullopt, 3);
  EXPECT_EQ(packer.next(1).targets, (std::vector<int64_t>{2, 10, 2}));
}

TEST(DocumentPacker, WholeDocumentsAreNeverCut) {
  DocumentPacker packer(cycle({{kStart, 10, 11, kEnd}, {kStart, 20, kEnd}}), Packing::whole,
                        kCrossed, kStart, 7, 4);
  const TokenBatch batch = packer.next(2);
  // 3 + 2 positions are taken; the 2 that are left are too few for a longest document.
  EXPECT_EQ(batch.ids, (std::vector<int64_t>{1, 10, 11, 1, 20, 0, 0, 1, 10, 11, 1, 20, 0, 0}));
  EXPECT_EQ(batch.targets, (std::vector<int64_t>{10, 11, 2, 20, 2, N, N, 10, 11, 2, 20, 2, N, N}));
  EXPECT_EQ(batch.scored, 10);
}

TEST(DocumentPacker, ADocumentsLengthDoesNotDecideWhereItStands) {
  // Two positions are left after the first document: the second would fit, a longest one would not.
  DocumentPacker packer(cycle({{kStart, 10, 11, kEnd}, {kStart, 20, kEnd}}), Packing::whole,
                        kCrossed, kStart, 5, 4);
  EXPECT_EQ(packer.next(1).ids, (std::vector<int64_t>{1, 10, 11, 0, 0}));
  EXPECT_EQ(packer.next(1).ids, (std::vector<int64_t>{1, 20, 1, 10, 11}));
}

TEST(DocumentPacker, ADocumentThatFillsTheRowExactlyFits) {
  DocumentPacker packer(cycle({{kStart, 10, 11, kEnd}}), Packing::whole, kCrossed, kStart, 3, 4);
  EXPECT_EQ(packer.next(2).scored, 6);
}

TEST(DocumentPacker, RefusesDocumentsLongerThanARowAndRowsOfNothing) {
  const auto documents = cycle({{kStart, 10, 11, kEnd}});
  EXPECT_THROW(DocumentPacker(documents, Packing::whole, kCrossed, kStart, 2, 4),
               std::invalid_argument);
  EXPECT_THROW(DocumentPacker(documents, Packing::whole, kCrossed, kStart, 0, 0),
               std::invalid_argument);
  DocumentPacker promised_shorter(documents, Packing::whole, kCrossed, kStart, 9, 3);
  EXPECT_THROW(promised_shorter.next(1), std::invalid_argument);
}

TEST(DocumentPacker, ADocumentLongerThanManyRowsIsContinued) {
  Ids document{kStart};
  for (int32_t i = 0; i < 100; ++i) document.push_back(10 + i);
  DocumentPacker packer(cycle({document}), Packing::continuous, kCrossed, kStart, 7);
  int64_t expected = 10;
  for (int row = 0; row < 14; ++row) {
    for (const int64_t target : packer.next(1).targets) EXPECT_EQ(target, expected++);
  }
}

}  // namespace
}  // namespace mesita::training
