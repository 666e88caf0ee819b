#include "tokenizer/corpus/story_reader.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "tests/support/files.h"
#include "tests/support/message.h"
#include "tests/tokenizer/corpus/archives.h"
#include "tests/tokenizer/corpus/read_corpus.h"
#include "tests/tokenizer/data_folder.h"

namespace mesita::corpus {
namespace {

using testing::ReadCorpus;

ReadCorpus read(const std::string& content, Malformed malformed = Malformed::fail,
                size_t largest = size_t{1} << 30) {
  return testing::read_corpus("x.txt", content,
                              {.malformed = malformed, .largest = largest, .report = {}});
}

std::vector<std::string> texts(const std::string& content) {
  return read(content).texts();
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
  const ReadCorpus result = read("<|endoftext|>\n\n<|endoftext|>\none\n<|endoftext|>\n\n");
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
  const ReadCorpus result = read("\n\none\n<|endoftext|>\r\n\r\ntwo\n");
  ASSERT_EQ(result.documents.size(), 2);
  EXPECT_EQ(result.documents[0].line, 3);
  EXPECT_EQ(result.documents[1].line, 6);
  EXPECT_EQ(result.documents[1].record, 1);
  EXPECT_EQ(read("<|endoftext|>\none").documents.at(0).record, 1) << "empty ones count";
}

TEST(StoryReader, NamesTheLineOfMalformed) {
  const std::string content = "fine\n<|endoftext|>\nsecond\nbad \xC3( here\n<|endoftext|>\nlast\n";
  const std::string message = testing::message_of<std::runtime_error>([&] { read(content); });
  EXPECT_TRUE(testing::contains(message, "x.txt:4: not valid UTF-8 at byte 5")) << message;
  const ReadCorpus skipped = read(content, Malformed::skip);
  ASSERT_EQ(skipped.documents.size(), 2);
  EXPECT_EQ(skipped.documents[1].text, "last");
  EXPECT_EQ(skipped.counts.malformed, 1);
  EXPECT_EQ(skipped.counts.documents, 2);
  EXPECT_THROW(read("\xFF\xFEo\0n\0e\0"), std::runtime_error);  // UTF-16
}

TEST(StoryReader, RefusesADocumentThatIsTooLarge) {
  EXPECT_NO_THROW(read("1234\n678\n<|endoftext|>\n1234567\n", Malformed::fail, 16));
  for (const char* content : {"12345678\n12345678\n", "ok\n<|endoftext|>\n12345678901234567890"}) {
    const std::string message =
        testing::message_of<std::runtime_error>([&] { read(content, Malformed::fail, 16); });
    EXPECT_TRUE(testing::contains(message, "more than 16 bytes")) << message;
  }
  const ReadCorpus skipped =
      read("123456\n123456\n123456\n<|endoftext|>\nok\n<|endoftext|>\n12345678901234567890\nrest",
           Malformed::skip, 16);
  EXPECT_EQ(skipped.texts(), Texts{"ok"});
  EXPECT_EQ(skipped.counts.malformed, 2);
  EXPECT_EQ(skipped.documents.at(0).record, 1);
  // Without end: only the limit stops it.
  StoryReader endless(open_bytes("/dev/zero"), {.largest = 1 << 20});
  Document document;
  EXPECT_THROW(endless.next(document), std::runtime_error);
}

TEST(StoryReader, ACutArchiveGivesWhatStandsBefore) {
  const std::string content = "one\n<|endoftext|>\ntwo \xC3\xA9\n<|endoftext|>\nthree\n";
  const Texts all = texts(content);
  const std::string first = testing::zstd_packed(content.substr(0, 24));
  const std::string packed = first + testing::zstd_packed(content.substr(24));
  for (size_t bytes = 4; bytes < packed.size(); ++bytes) {
    // A cut between frames makes a shorter whole archive.
    if (bytes == first.size()) continue;
    const ReadCorpus cut = read(packed.substr(0, bytes), Malformed::skip);
    EXPECT_TRUE(testing::is_beginning(cut.texts(), all)) << bytes;
    EXPECT_EQ(cut.counts.truncated, 1) << bytes;
    if (bytes > first.size()) {
      EXPECT_GE(cut.texts().size(), 1) << bytes;
    }
    EXPECT_THROW(read(packed.substr(0, bytes)), std::runtime_error) << bytes;
  }
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
  const std::string whole = testing::read_file(testing::data_folder() / name);
  const ReadCorpus stories = testing::read_corpus_file(testing::data_folder() / name);
  size_t position = 0;
  for (const Document& document : stories.documents) {
    position = whole.find(document.text, position);
    ASSERT_NE(position, std::string::npos) << document.line;
    ASSERT_EQ(
        std::count(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(position), '\n'),
        document.line - 1);
    position += document.text.size();
  }
  EXPECT_EQ(stories.counts.documents, 1000);
}

}  // namespace
}  // namespace mesita::corpus
