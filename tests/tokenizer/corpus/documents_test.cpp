#include "tokenizer/corpus/documents.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/files.h"
#include "tests/support/temporary_directory.h"

namespace mesita::corpus {
namespace {

TEST(Documents, OpensPlainText) {
  const testing::TemporaryDirectory folder;
  for (const char* name : {"a.txt", "a.md", "a"}) {
    testing::write_file(folder / name, "one\n<|endoftext|>\ntwo\n");
    const auto reader = open_documents(folder / name);
    Document document;
    ASSERT_TRUE(reader->next(document));
    EXPECT_EQ(document.text, "one");
    ASSERT_TRUE(reader->next(document));
    EXPECT_EQ(document.text, "two");
    EXPECT_FALSE(reader->next(document));
    EXPECT_EQ(reader->counts().documents, 2);
  }
}

TEST(Documents, RefusesOtherFormatsByName) {
  const testing::TemporaryDirectory folder;
  for (const char* name : {"a.json", "a.jsonl", "a.txt.gz", "a.txt.zst", "a.bin"}) {
    testing::write_file(folder / name, "[]");
    EXPECT_THROW(open_documents(folder / name), std::invalid_argument) << name;
  }
  EXPECT_THROW(open_documents(folder / "absent.txt"), std::runtime_error);
}

TEST(Documents, PassesOnWhatToDoWithInvalidText) {
  const testing::TemporaryDirectory folder;
  testing::write_file(folder / "a.txt", "\xFF\n");
  Document document;
  EXPECT_THROW(open_documents(folder / "a.txt")->next(document), std::runtime_error);
  EXPECT_FALSE(open_documents(folder / "a.txt", InvalidText::skip)->next(document));
}

}  // namespace
}  // namespace mesita::corpus
