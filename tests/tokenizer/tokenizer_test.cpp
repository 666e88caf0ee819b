#include "tokenizer/tokenizer.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/files.h"
#include "tests/support/message.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tiny_tokenizer.h"

namespace mesita::tokenizer {
namespace {

TEST(LoadTokenizer, KnowsEachKind) {
  const testing::TemporaryDirectory root;
  make_idless_tokenizer(4)->save(root / "none");
  make_symbol_tokenizer({"a", "b"})->save(root / "symbols");
  testing::tiny_sentencepiece_tokenizer()->save(root / "sentencepiece");
  for (const char* kind : {"none", "symbols", "sentencepiece"}) {
    EXPECT_EQ(load_tokenizer(root / kind)->kind(), kind);
  }
  EXPECT_EQ(load_tokenizer(root / "sentencepiece" / "tokenizer.model")->size(), 320);
  EXPECT_EQ(load_tokenizer(root / "symbols" / "symbols.json")->size(), 2);
}

TEST(LoadTokenizer, TakesACheckpointFolder) {
  const testing::TemporaryDirectory checkpoint;
  make_symbol_tokenizer({"a"})->save(checkpoint / "tokenizer");
  EXPECT_EQ(load_tokenizer(checkpoint.path())->kind(), "symbols");
}

TEST(LoadTokenizer, SaysWhatIsWrong) {
  const testing::TemporaryDirectory root;
  const auto refusal = [&](const std::filesystem::path& path) {
    return testing::message_of<std::runtime_error>([&] { load_tokenizer(path); });
  };
  EXPECT_TRUE(testing::contains(refusal(root / "absent"), "absent: no such"));
  EXPECT_TRUE(testing::contains(refusal(root.path()), "no tokenizer here"));
  testing::write_file(root / "text.model", "Once upon a time");
  EXPECT_TRUE(testing::contains(refusal(root / "text.model"), "text.model: "));
  make_idless_tokenizer(4)->save(root.path());
  testing::write_file(root / "symbols.json", "{}");
  EXPECT_TRUE(testing::contains(refusal(root.path()), "holds both"));
}

TEST(Tokenizer, DecodesWhole) {
  const auto tokenizer = make_symbol_tokenizer({"<s>", "a", "b"}, {"<s>"});
  EXPECT_EQ(tokenizer->decode({}), "");
  EXPECT_EQ(tokenizer->decode({1, 2, 1}), "a b a");
  EXPECT_EQ(tokenizer->decode({0, 1}, Tokenizer::Specials::spelled), "<s>a");
}

}  // namespace
}  // namespace mesita::tokenizer
