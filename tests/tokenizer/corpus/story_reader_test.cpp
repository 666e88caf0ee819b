#include "tokenizer/corpus/story_reader.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "tests/support/files.h"
#include "tests/support/message.h"
#include "tests/support/temporary_directory.h"
#include "tests/tokenizer/data_folder.h"

namespace mesita::corpus {
namespace {

struct Read {
  std::vector<Document> documents;
  ReadCounts counts;
};

Read read(const std::string& content, InvalidText invalid = InvalidText::fail,
          size_t largest = StoryReader::kLargestDocument) {
  const testing::TemporaryDirectory folder;
  testing::write_file(folder / "x.txt", content);
  StoryReader reader(folder / "x.txt", invalid, largest);
  Read result;
  for (Document document; reader.next(document);) result.documents.push_back(document);
  Document document;
  EXPECT_FALSE(reader.next(document)) << "the end stays the end";
  result.counts = reader.counts();
  return result;
}

std::vector<std::string> texts(const std::string& content) {
  std::vector<std::string> result;
  for (const Document& document : read(content).documents) result.push_back(document.text);
  return result;
}

using Texts = std::vector<std::string>;

TEST(StoryReader, SplitsAtMarkerLines) {
  EXPECT_EQ(texts("one\ntwo\n<|endoftext|>\nthree\n<|endoftext|>\n"), (Texts{"one\ntwo", "three"}));
  EXPECT_EQ(texts("one\n<|endoftext|>\ntwo"), (Texts{"one", "two"}));
  EXPECT_EQ(texts("one\n <|endoftext|> \ntwo\n<|endoftext|>"), (Texts{"one", "two"}));
  EXPECT_EQ(texts("a <|endoftext|>\n<|endoftext|> b\n"),
            (Texts{"a <|endoftext|>\n<|endoftext|> b"}));
}

TEST(StoryReader, AFileWithoutMarkerIsOneDocument) {
  EXPECT_EQ(texts("one\n\ntwo\n"), (Texts{"one\n\ntwo"}));
  EXPECT_EQ(texts("x"), (Texts{"x"}));
  EXPECT_EQ(texts(""), Texts{});
  EXPECT_EQ(texts("\n \n"), Texts{});
}

TEST(StoryReader, TrimsBlankLinesOnly) {
  EXPECT_EQ(texts("\n \t\n  one  \n\n two \n \n\n<|endoftext|>\n"), (Texts{"  one  \n\n two "}));
}

TEST(StoryReader, CountsEmptyDocuments) {
  const Read result = read("<|endoftext|>\n\n<|endoftext|>\none\n<|endoftext|>\n\n");
  EXPECT_EQ(result.documents.size(), 1);
  EXPECT_EQ(result.counts.documents, 1);
  EXPECT_EQ(result.counts.bytes, 3);
  EXPECT_EQ(result.counts.empty, 2);
}

TEST(StoryReader, ReadsWindowsFiles) {
  EXPECT_EQ(texts("\xEF\xBB\xBFone\r\ntwo\r\n\r\n<|endoftext|>\r\nthree\r\n"),
            (Texts{"one\ntwo", "three"}));
  EXPECT_EQ(texts("\xEF\xBB\xBF<|endoftext|>\r\nx"), (Texts{"x"}));
  EXPECT_EQ(texts("a\rb\n"), (Texts{"a\rb"}));
  EXPECT_EQ(texts("x\n<|endoftext|>\n\xEF\xBB\xBFy\n"), (Texts{"x", "\xEF\xBB\xBFy"}));
}

TEST(StoryReader, KeepsNulBytes) {
  const std::string text("a\0b\n\0", 5);
  EXPECT_EQ(texts(text), (Texts{text}));
}

TEST(StoryReader, SaysWhereADocumentStands) {
  const Read result = read("\n\none\n<|endoftext|>\r\n\r\ntwo\n");
  ASSERT_EQ(result.documents.size(), 2);
  EXPECT_EQ(result.documents[0].offset, 2);
  EXPECT_EQ(result.documents[0].line, 3);
  EXPECT_EQ(result.documents[1].offset, 23);
  EXPECT_EQ(result.documents[1].line, 6);
  EXPECT_EQ(read("\xEF\xBB\xBFone").documents.at(0).offset, 3);
}

TEST(StoryReader, NamesTheLineOfInvalidText) {
  const std::string content = "fine\n<|endoftext|>\nsecond\nbad \xC3( here\n<|endoftext|>\nlast\n";
  const std::string message = testing::message_of<std::runtime_error>([&] { read(content); });
  EXPECT_TRUE(testing::contains(message, "x.txt:4: not valid UTF-8 at byte 5")) << message;
  const Read skipped = read(content, InvalidText::skip);
  ASSERT_EQ(skipped.documents.size(), 2);
  EXPECT_EQ(skipped.documents[1].text, "last");
  EXPECT_EQ(skipped.counts.invalid, 1);
  EXPECT_EQ(skipped.counts.documents, 2);
  EXPECT_THROW(read("\xFF\xFEo\0n\0e\0"), std::runtime_error);  // UTF-16
}

TEST(StoryReader, RefusesADocumentThatIsTooLarge) {
  EXPECT_NO_THROW(read("1234\n678\n<|endoftext|>\n1234567\n", InvalidText::fail, 16));
  for (const char* content : {"12345678\n12345678\n", "ok\n<|endoftext|>\n12345678901234567890"}) {
    const std::string message =
        testing::message_of<std::runtime_error>([&] { read(content, InvalidText::fail, 16); });
    EXPECT_TRUE(testing::contains(message, "more than 16 bytes")) << message;
  }
  // Without end: only the limit stops it.
  StoryReader endless("/dev/zero", InvalidText::fail, 1 << 20);
  Document document;
  EXPECT_THROW(endless.next(document), std::runtime_error);
}

TEST(StoryReader, RefusesWhatIsNoFile) {
  const testing::TemporaryDirectory folder;
  EXPECT_THROW(StoryReader(folder / "absent.txt"), std::runtime_error);
  EXPECT_THROW(StoryReader{folder.path()}, std::runtime_error);
}

TEST(StoryReader, ReadsAcrossItsBuffer) {
  std::string content;
  Texts expected;
  for (int i = 0; i < 40; ++i) {
    expected.push_back(std::string(9000 + i, 'a') + "\n" + std::string(77 * i + 1, 'b'));
    content += expected.back() + "\n<|endoftext|>\n";
  }
  EXPECT_EQ(texts(content), expected);
}

TEST(StoryReader, ReadsTinyStories) {
  const std::string name = "tinystories/tinystories-real-valid.txt";
  MESITA_NEEDS_DATA(name);
  StoryReader reader(testing::data_folder() / name);
  const std::string whole = testing::read_file(testing::data_folder() / name);
  for (Document document; reader.next(document);) {
    ASSERT_EQ(whole.substr(document.offset, document.text.size()), document.text);
  }
  EXPECT_EQ(reader.counts().documents, 1000);
}

}  // namespace
}  // namespace mesita::corpus
