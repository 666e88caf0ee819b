#include "tokenizer/symbol_tokenizer.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/files.h"
#include "tests/support/message.h"
#include "tests/support/temporary_directory.h"

namespace mesita::tokenizer {
namespace {

std::unique_ptr<Tokenizer> example() {
  return make_symbol_tokenizer({"<s>", "</s>", "the", "dog", "caf\xC3\xA9"}, {"<s>", "</s>"});
}

TEST(SymbolTokenizer, TextIsSymbolsSeparatedByBlanks) {
  const auto tokenizer = example();
  EXPECT_EQ(tokenizer->kind(), "symbols");
  EXPECT_EQ(tokenizer->size(), 5);
  EXPECT_EQ(tokenizer->encode("the dog caf\xC3\xA9"), (std::vector<int32_t>{2, 3, 4}));
  EXPECT_EQ(tokenizer->encode("\t the\n\ndog \r\n"), (std::vector<int32_t>{2, 3}));
  EXPECT_TRUE(tokenizer->encode("").empty());
  EXPECT_TRUE(tokenizer->encode(" \n").empty());
  EXPECT_EQ(tokenizer->decode({0, 2, 3, 1}), "the dog");
  EXPECT_EQ(tokenizer->decode({0, 2, 3, 1}, Tokenizer::Specials::spelled), "<s>the dog</s>");
  EXPECT_EQ(tokenizer->decode(tokenizer->encode("dog the dog")), "dog the dog");
}

TEST(SymbolTokenizer, TheBlankBelongsToTheSymbolBehindIt) {
  const auto spans = example()->encode_with_spans(" the  dog\n");
  ASSERT_EQ(spans.size(), 2);
  EXPECT_EQ(spans[0].begin, 0);
  EXPECT_EQ(spans[0].end, 4);
  EXPECT_EQ(spans[1].begin, 4);
  EXPECT_EQ(spans[1].end, 10);
}

TEST(SymbolTokenizer, RefusesUnknownSymbolsAndSpecialsInText) {
  const auto tokenizer = example();
  using testing::contains;
  const auto refusal = [&](const std::string& text) {
    return testing::message_of<std::invalid_argument>([&] { tokenizer->encode(text); });
  };
  EXPECT_TRUE(contains(refusal("the cat"), "unknown symbol \"cat\" at byte 4"));
  EXPECT_TRUE(contains(refusal("<s> the"), "unknown symbol \"<s>\" at byte 0"));
  EXPECT_TRUE(contains(refusal("the\xFF"), "not valid UTF-8 at byte 3"));
  EXPECT_TRUE(contains(refusal(std::string("the\0", 4)), "unknown symbol"));
  EXPECT_LT(refusal(std::string(100000, 'x')).size(), 300);
  EXPECT_THROW(tokenizer->bytes_of(5, Tokenizer::Place::start), std::invalid_argument);
  EXPECT_THROW(tokenizer->decode({-1}), std::invalid_argument);
}

TEST(SymbolTokenizer, NamesItsSpecials) {
  const auto tokenizer = example();
  EXPECT_EQ(tokenizer->special_name(1), "</s>");
  EXPECT_EQ(tokenizer->special_name(2), std::nullopt);
  EXPECT_EQ(tokenizer->special_name(5), std::nullopt);
  EXPECT_EQ(tokenizer->special_id("<s>"), 0);
  EXPECT_EQ(tokenizer->special_id("the"), std::nullopt);
  EXPECT_EQ(tokenizer->special_id("x"), std::nullopt);
}

TEST(SymbolTokenizer, RefusesUnfitVocabularies) {
  EXPECT_THROW(make_symbol_tokenizer({}), std::invalid_argument);
  EXPECT_THROW(make_symbol_tokenizer({"a", ""}), std::invalid_argument);
  EXPECT_THROW(make_symbol_tokenizer({"a", "b", "a"}), std::invalid_argument);
  EXPECT_THROW(make_symbol_tokenizer({"a b"}), std::invalid_argument);
  EXPECT_THROW(make_symbol_tokenizer({"a\n"}), std::invalid_argument);
  EXPECT_THROW(make_symbol_tokenizer({"\xFF"}), std::invalid_argument);
  EXPECT_THROW(make_symbol_tokenizer({"a"}, {"b"}), std::invalid_argument);
  EXPECT_THROW(make_symbol_tokenizer({"a"}, {"a", "a"}), std::invalid_argument);
}

TEST(SymbolTokenizer, SavesAndLoads) {
  const testing::TemporaryDirectory folder;
  const auto tokenizer = example();
  tokenizer->save(folder.path());
  EXPECT_EQ(testing::read_file(folder / "symbols.json"),
            "{\"format\":1,\"symbols\":[\"<s>\",\"</s>\",\"the\",\"dog\",\"caf\xC3\xA9\"],"
            "\"specials\":[\"<s>\",\"</s>\"]}\n");
  const auto loaded = load_symbol_tokenizer(folder / "symbols.json");
  EXPECT_EQ(loaded->hash(), tokenizer->hash());
  EXPECT_EQ(loaded->encode("the dog"), tokenizer->encode("the dog"));
  EXPECT_EQ(loaded->special_id("</s>"), 1);
  make_symbol_tokenizer({"a"})->save(folder.path());
  EXPECT_EQ(testing::read_file(folder / "symbols.json"), "{\"format\":1,\"symbols\":[\"a\"]}\n");
}

TEST(SymbolTokenizer, RefusesDamagedFiles) {
  const testing::TemporaryDirectory folder;
  const auto file = folder / "symbols.json";
  for (const char* content :
       {R"({"format":1})", R"({"format":1,"symbols":"ab"})", R"({"format":1,"symbols":[1]})",
        R"({"format":1,"symbols":[]})", R"({"format":1,"symbols":["a","a"]})",
        R"({"format":1,"symbols":["a"],"specials":["b"]})",
        R"({"format":1,"symbols":["a"],"specials":"a"})", R"({"format":1,"symbols":["a"],"x":1})",
        R"({"format":2,"symbols":["a"]})", R"({"format":1,"symbols":["a")"}) {
    testing::write_file(file, content);
    const std::string message =
        testing::message_of<std::runtime_error>([&] { load_symbol_tokenizer(file); });
    EXPECT_TRUE(message.starts_with(file.string() + ": ")) << message;
  }
}

}  // namespace
}  // namespace mesita::tokenizer
