#include "tokenizer/tokenizer_commands.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "tests/support/files.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tiny_tokenizer.h"

namespace mesita::tokenizer {
namespace {

using nlohmann::json;

TEST(TokenizerCommands, TrainsFromFiles) {
  const testing::TemporaryDirectory folder;
  std::string text;
  for (int i = 0; i < 60; ++i) text += testing::tiny_text(4, 4 * i) + "\n<|endoftext|>\n";
  testing::write_file(folder / "a.txt", text);
  testing::write_file(folder / "b.txt", "bad \xFF\n<|endoftext|>\n<|endoftext|>\nthe table\n");
  TrainRequest request;
  request.inputs = {folder / "a.txt", folder / "b.txt"};
  request.out = folder / "tokenizer";
  request.options.vocabulary = 320;
  std::ostringstream out;
  EXPECT_THROW(train_command(request, OutputFormat::json, out), std::runtime_error);
  EXPECT_FALSE(std::filesystem::exists(request.out));
  EXPECT_EQ(out.str(), "");
  request.malformed = corpus::Malformed::skip;
  train_command(request, OutputFormat::json, out);
  const json result = json::parse(out.str());
  EXPECT_EQ(result.at("documents"), 61);
  EXPECT_EQ(result.at("invalid_documents"), 1);
  EXPECT_EQ(result.at("empty_documents"), 1);
  EXPECT_EQ(result.at("size"), 320);
  EXPECT_EQ(load_tokenizer(request.out)->hash(), result.at("hash"));
}

TEST(TokenizerCommands, RefusesAnotherKindsFolderBeforeReading) {
  const testing::TemporaryDirectory folder;
  make_idless_tokenizer(3)->save(folder.path());
  TrainRequest request;
  request.inputs = {folder / "absent.txt"};
  request.out = folder.path();
  std::ostringstream out;
  try {
    train_command(request, OutputFormat::text, out);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("another kind"), std::string::npos) << error.what();
  }
}

TEST(TokenizerCommands, EncodesAndDecodes) {
  const auto tokenizer = make_symbol_tokenizer({"<s>", "a", "b"}, {"<s>"});
  std::ostringstream out;
  encode_command(*tokenizer, "a b a", OutputFormat::text, out);
  encode_command(*tokenizer, "", OutputFormat::text, out);
  EXPECT_EQ(out.str(), "1 2 1\n\n");
  out.str("");
  encode_command(*tokenizer, "a b", OutputFormat::json, out);
  EXPECT_EQ(json::parse(out.str()),
            json::parse(R"({"tokens":[1,2],"count":2,"spans":[[0,1],[1,3]]})"));
  out.str("");
  decode_command(*tokenizer, {0, 1, 2}, Tokenizer::Specials::hidden, OutputFormat::text, out);
  EXPECT_EQ(out.str(), "a b");
  out.str("");
  decode_command(*tokenizer, {0, 1}, Tokenizer::Specials::spelled, OutputFormat::json, out);
  EXPECT_EQ(json::parse(out.str()), json::parse(R"({"text":"<s>a"})"));
}

TEST(TokenizerCommands, Inspects) {
  std::ostringstream out;
  inspect_command(*testing::tiny_sentencepiece_tokenizer(), OutputFormat::json, out);
  json result = json::parse(out.str());
  EXPECT_EQ(result.at("kind"), "sentencepiece");
  EXPECT_EQ(result.at("algorithm"), "bpe");
  EXPECT_EQ(result.at("lossless"), true);
  EXPECT_EQ(result.at("specials").at("</s>"), 2);
  out.str("");
  inspect_command(*make_idless_tokenizer(2147483647), OutputFormat::json, out);
  result = json::parse(out.str());
  EXPECT_EQ(result.at("size"), 2147483647);
  EXPECT_TRUE(result.at("specials").empty());
  out.str("");
  inspect_command(*make_symbol_tokenizer({"a"}), OutputFormat::text, out);
  EXPECT_TRUE(out.str().starts_with("kind                      symbols\nsize  ")) << out.str();
}

TEST(TokenizerCommands, ParsesIds) {
  EXPECT_EQ(parse_ids(" 1\n20\t-3 "), (std::vector<int32_t>{1, 20, -3}));
  EXPECT_TRUE(parse_ids("").empty());
  EXPECT_TRUE(parse_ids(" \n").empty());
  for (const char* bad : {"x", "1 2x", "1.5", "2147483648", "1,2", "+", "0x10"}) {
    EXPECT_THROW(parse_ids(bad), std::invalid_argument) << bad;
  }
}

}  // namespace
}  // namespace mesita::tokenizer
