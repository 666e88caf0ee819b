#include "training/data/document_list.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace mesita::training {
namespace {

std::unique_ptr<DocumentList> list(DocumentMarks marks = {1, 2}) {
  return std::make_unique<DocumentList>(marks);
}

TEST(DocumentList, CountsItsSets) {
  const auto documents = list();
  documents->add({1, 5, 2}, 4, "a");
  documents->add({1, 2}, 0, "b");
  documents->add({1, 6, 7, 2}, 6, "a");
  EXPECT_EQ(documents->count(), 3);
  EXPECT_EQ(documents->tokens(), 9);
  EXPECT_EQ(documents->sets(), (std::vector<DocumentSet>{{"a", 2, 7, 10}, {"b", 1, 2, 0}}));
  EXPECT_EQ(documents->set_of(1), 1u);
  EXPECT_EQ(documents->bytes(2), 6);
  std::vector<int32_t> ids;
  EXPECT_THROW(documents->read(3, ids), std::out_of_range);
}

TEST(DocumentList, TheHashTellsDocumentsApart) {
  const auto one = list(), two = list(), three = list();
  one->add({1, 5, 2}, 1);
  two->add({1, 5}, 1);
  two->add({2}, 1);
  three->add({1, 5, 2}, 1);
  EXPECT_NE(one->hash(), two->hash());
  EXPECT_EQ(one->hash(), three->hash());
}

TEST(JoinedDocuments, FollowEachOtherAndShareSets) {
  std::vector<std::unique_ptr<TokenDocuments>> parts;
  auto first = list(), second = list();
  first->add({1, 5, 2}, 4, "a");
  first->add({1, 6, 2}, 4, "b");
  second->add({1, 7, 2}, 5, "b");
  parts.push_back(std::move(first));
  parts.push_back(std::move(second));
  const JoinedDocuments joined(std::move(parts));
  ASSERT_EQ(joined.count(), 3);
  std::vector<int32_t> ids;
  for (const int32_t i : {2, 0, 1}) {
    joined.read(i, ids);
    EXPECT_EQ(ids, (std::vector<int32_t>{1, 5 + i, 2}));
  }
  EXPECT_EQ(joined.sets(), (std::vector<DocumentSet>{{"a", 1, 3, 4}, {"b", 2, 6, 9}}));
  EXPECT_EQ(joined.set_of(2), 1u);
  EXPECT_EQ(joined.bytes(2), 5);
  EXPECT_THROW(joined.read(3, ids), std::out_of_range);
  EXPECT_THROW(joined.read(-1, ids), std::out_of_range);
}

TEST(JoinedDocuments, NeedTheSameMarks) {
  std::vector<std::unique_ptr<TokenDocuments>> parts;
  parts.push_back(list());
  parts.push_back(list({std::nullopt, 2}));
  EXPECT_THROW(JoinedDocuments(std::move(parts)), std::invalid_argument);
  EXPECT_THROW(JoinedDocuments({}), std::invalid_argument);
}

}  // namespace
}  // namespace mesita::training
