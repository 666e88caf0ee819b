#include "training/data/text_documents.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_directory.h"

namespace mesita::training {
namespace {

std::unique_ptr<tokenizer::Tokenizer> words() {
  return tokenizer::make_symbol_tokenizer({"<unk>", "<s>", "</s>", "the", "cat", "sat"},
                                          {"<unk>", "<s>", "</s>"});
}

std::filesystem::path file_with(const testing::TemporaryDirectory& folder, std::string_view text) {
  const std::filesystem::path path = folder / "text.txt";
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

TEST(TextDocuments, PutsStartAndEndAroundEachDocument) {
  const testing::TemporaryDirectory folder;
  const auto file = file_with(folder, "the cat\n<|endoftext|>\nsat\n<|endoftext|>\n");
  const auto found = read_text_documents(file, *words());
  ASSERT_EQ(found->count(), 2);
  std::vector<int32_t> ids;
  found->read(0, ids);
  EXPECT_EQ(ids, (std::vector<int32_t>{1, 3, 4, 2}));
  found->read(1, ids);
  EXPECT_EQ(ids, (std::vector<int32_t>{1, 5, 2}));
  EXPECT_EQ(found->tokens(), 7);
  EXPECT_EQ(found->bytes(0), 7);
  EXPECT_EQ(found->marks(), (DocumentMarks{1, 2}));
}

TEST(TextDocuments, RefusesFilesWithoutText) {
  const testing::TemporaryDirectory folder;
  for (const char* text : {"", "\n\n", "<|endoftext|>\n<|endoftext|>\n"})
    EXPECT_THROW(read_text_documents(file_with(folder, text), *words()), std::runtime_error);
  EXPECT_THROW(read_text_documents(folder / "absent.txt", *words()), std::runtime_error);
}

TEST(TextDocuments, NamesFileAndLineOfWhatCannotBeEncoded) {
  const testing::TemporaryDirectory folder;
  const auto file = file_with(folder, "the cat\n<|endoftext|>\nthe dog\n");
  try {
    read_text_documents(file, *words());
    FAIL() << "accepted";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("text.txt, line 3"), std::string::npos)
        << error.what();
  }
}

TEST(TextDocuments, NeedsSomethingBetweenDocuments) {
  const testing::TemporaryDirectory folder;
  const auto plain = tokenizer::make_symbol_tokenizer({"the", "cat"});
  EXPECT_THROW(read_text_documents(file_with(folder, "the cat"), *plain), std::invalid_argument);
}

}  // namespace
}  // namespace mesita::training
