#include "tokenizer/idless_tokenizer.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/files.h"
#include "tests/support/message.h"
#include "tests/support/temporary_directory.h"

namespace mesita::tokenizer {
namespace {

TEST(IdlessTokenizer, HasIdsAndNoText) {
  const auto tokenizer = make_idless_tokenizer(3);
  EXPECT_EQ(tokenizer->kind(), "none");
  EXPECT_EQ(tokenizer->size(), 3);
  EXPECT_EQ(tokenizer->decode({0, 1, 2}), "");
  EXPECT_EQ(tokenizer->special_name(0), std::nullopt);
  EXPECT_EQ(tokenizer->special_id("<s>"), std::nullopt);
  EXPECT_THROW(tokenizer->decode({3}), std::invalid_argument);
  EXPECT_THROW(tokenizer->bytes_of(-1, Tokenizer::Place::start), std::invalid_argument);
}

TEST(IdlessTokenizer, RefusesEveryText) {
  const auto tokenizer = make_idless_tokenizer(3);
  for (const char* text : {"", "a"}) {
    EXPECT_THROW(tokenizer->encode(text), std::invalid_argument);
    const std::string message =
        testing::message_of<std::invalid_argument>([&] { tokenizer->encode_with_spans(text); });
    EXPECT_TRUE(testing::contains(message, "0 .. 2")) << message;
  }
}

TEST(IdlessTokenizer, SavesAndLoads) {
  const testing::TemporaryDirectory folder;
  const auto tokenizer = make_idless_tokenizer(7);
  tokenizer->save(folder.path());
  EXPECT_EQ(testing::read_file(folder / "none.json"), "{\"format\":1,\"size\":7}\n");
  const auto loaded = load_idless_tokenizer(folder / "none.json");
  EXPECT_EQ(loaded->size(), 7);
  EXPECT_EQ(loaded->hash(), tokenizer->hash());
  EXPECT_NE(loaded->hash(), make_idless_tokenizer(8)->hash());
}

TEST(IdlessTokenizer, RefusesSizesOutOfRange) {
  EXPECT_THROW(make_idless_tokenizer(0), std::invalid_argument);
  EXPECT_THROW(make_idless_tokenizer(-1), std::invalid_argument);
  EXPECT_THROW(make_idless_tokenizer(int64_t{1} << 31), std::invalid_argument);
  const testing::TemporaryDirectory folder;
  for (const char* size :
       {"0", "-3", "2.5", "\"3\"", "2147483648", "18446744073709551615", "null"}) {
    testing::write_file(folder / "none.json", std::string("{\"format\":1,\"size\":") + size + "}");
    EXPECT_THROW(load_idless_tokenizer(folder / "none.json"), std::runtime_error) << size;
  }
  testing::write_file(folder / "none.json", "{\"format\":1}");
  EXPECT_THROW(load_idless_tokenizer(folder / "none.json"), std::runtime_error);
}

}  // namespace
}  // namespace mesita::tokenizer
