#include "training/data/pack_format.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/message.h"

namespace mesita::training {
namespace {

PackInfo some_pack() {
  return {.type = TokenType::uint32,
          .tokens = 12,
          .documents = 3,
          .sets = {{"Pile-CC", 2, 8, 30}, {"", 1, 4, 9}},
          .vocabulary = 70000,
          .tokenizer_hash = "ab12",
          .marks = {std::nullopt, 2},
          .inputs = {{"/tmp/a b.jsonl", 100, 17, 3, 1, 2, true}},
          .files = {{"tokens.bin", {48, "00ff"}}}};
}

TEST(PackFormat, IsReadBack) {
  EXPECT_EQ(parse_pack(pack_json(some_pack()), "pack.json"), some_pack());
  const PackPlace place{0, 5};
  const auto [found, info] = parse_place(place_json(place, some_pack()), "place.json");
  EXPECT_EQ(found, place);
  EXPECT_EQ(info, some_pack());
}

TEST(PackFormat, RefusesWhatItDoesNotWrite) {
  const std::string good = pack_json(some_pack());
  const auto refused = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return testing::message_of<std::runtime_error>([&] { parse_pack(text, "pack.json"); });
  };
  EXPECT_TRUE(
      testing::contains(refused("\"format_version\": 1", "\"format_version\": 2"), "newer"));
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"\"uint32\"", "\"float\""},
           {"\"documents\": 3", "\"documents\": -3"},
           {"\"tokens\": 12", "\"tokens\": \"12\""},
           {"\"end\": 2", "\"end\": 70000"},
           {"\"sets\": [", "\"sets\": 1, \"other\": ["},
           {"\"truncated\": true", "\"truncated\": 1"},
           {"\"sha256\"", "\"md5\""}}) {
    EXPECT_TRUE(testing::contains(refused(from, to), "pack.json")) << from;
  }
  for (const char* text : {"", "{}", "[]", "not JSON"})
    EXPECT_THROW(parse_pack(text, "pack.json"), std::runtime_error) << text;
}

TEST(PackFormat, DocumentsHaveSixteenLittleEndianBytes) {
  std::vector<std::byte> bytes;
  append_document({1, 2, 3}, bytes);
  append_document({0x0102030405060708, 0x11121314, 0x21222324}, bytes);
  ASSERT_EQ(bytes.size(), 32u);
  EXPECT_EQ(bytes[16], std::byte{8});
  EXPECT_EQ(bytes[23], std::byte{1});
  EXPECT_EQ(bytes[24], std::byte{0x14});
  EXPECT_EQ(bytes[31], std::byte{0x21});
  const PackedDocument second = packed_document(bytes, 1);
  EXPECT_EQ(second.begin, 0x0102030405060708u);
  EXPECT_EQ(second.set, 0x21222324u);
}

}  // namespace
}  // namespace mesita::training
