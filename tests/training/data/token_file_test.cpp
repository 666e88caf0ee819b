#include "training/data/token_file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <stdexcept>

#include "tests/support/message.h"
#include "tests/support/temporary_directory.h"

namespace mesita::training {
namespace {

/// Bytes of values, one after the other.
template <typename Value>
std::string raw(std::initializer_list<long long> values) {
  std::string bytes;
  for (const long long value : values) {
    const auto one = static_cast<Value>(value);
    bytes.append(reinterpret_cast<const char*>(&one), sizeof one);
  }
  return bytes;
}

class TokenFileTest : public ::testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }
  using Documents = std::vector<std::vector<int32_t>>;
  static Documents documents(const TokenFile& file) {
    Documents all(static_cast<size_t>(file.count()));
    for (size_t i = 0; i < all.size(); ++i) file.read(static_cast<int64_t>(i), all[i]);
    return all;
  }
  static std::string refused(const std::filesystem::path& path) {
    return testing::message_of<std::runtime_error>([&] { TokenFile(path, 100, 9); });
  }
  // 256 int32: magic, version, count.
  static std::string llmc(int magic, int version, int count) {
    std::string head = raw<int32_t>({magic, version, count});
    head.resize(1024);
    return head;
  }
  // Sequences of sizes 2, 1, 3; documents of sequences 0 and 1 to 2.
  static std::string megatron(const std::string& sizes, const std::string& pointers,
                              const std::string& marks, int code = 8, int version = 1) {
    return std::string("MMIDIDX\0\0", 9) + raw<uint64_t>({version}) + raw<uint8_t>({code}) +
           raw<uint64_t>({static_cast<long long>(sizes.size() / 4),
                          static_cast<long long>(marks.size() / 8)}) +
           sizes + pointers + marks;
  }
  testing::TemporaryDirectory folder_;
};

TEST_F(TokenFileTest, ReadsNanoGpt) {
  const auto path = write("train.bin", raw<uint16_t>({5, 6, 9, 7, 9, 8}));
  const TokenFile file(path, 100, 9);
  EXPECT_EQ(documents(file), (Documents{{5, 6, 9}, {7, 9}, {8}}));
  EXPECT_EQ(file.tokens(), 6);
  EXPECT_EQ(file.marks(), (DocumentMarks{std::nullopt, 9}));
  EXPECT_FALSE(file.bytes(0));
  EXPECT_EQ(documents(TokenFile(path, 100, std::nullopt)), (Documents{{5, 6, 9, 7, 9, 8}}));
}

TEST_F(TokenFileTest, WithoutSeparatorItIsCutIntoPieces) {
  std::string bytes(2 * (TokenFile::kPiece + 10), '\0');
  const TokenFile file(write("train.bin", bytes), 100, std::nullopt);
  ASSERT_EQ(file.count(), 2);
  EXPECT_EQ(documents(file)[1].size(), 10u);
}

TEST_F(TokenFileTest, ReadsLlmC) {
  const auto two = write("two.bin", llmc(20240520, 1, 3) + raw<uint16_t>({9, 5, 6}));
  EXPECT_EQ(documents(TokenFile(two, 100, 9)), (Documents{{9}, {5, 6}}));
  const auto four = write("four.bin", llmc(20240801, 7, 2) + raw<uint32_t>({99, 5}));
  EXPECT_EQ(documents(TokenFile(four, 100, 9)), (Documents{{99, 5}}));
}

TEST_F(TokenFileTest, ReadsMegatronWithItsDocuments) {
  const std::string pointers = raw<int64_t>({0, 4, 6});
  const auto index =
      write("x.idx", megatron(raw<int32_t>({2, 1, 3}), pointers, raw<int64_t>({0, 1, 3})));
  const auto path = write("x.bin", raw<uint16_t>({1, 2, 3, 4, 5, 6}));
  for (const auto& name : {index, path})
    EXPECT_EQ(documents(TokenFile(name, 100, 9)), (Documents{{1, 2}, {3, 4, 5, 6}}));
  // Documents without ids are left out; ids behind the last mark are a document.
  write("x.idx",
        megatron(raw<int32_t>({2, 0, 4}), raw<int64_t>({0, 4, 4}), raw<int64_t>({0, 1, 2})));
  EXPECT_EQ(documents(TokenFile(path, 100, 9)), (Documents{{1, 2}, {3, 4, 5, 6}}));
  write("x.bin", raw<int32_t>({1, 2, 3}));
  write("x.idx", megatron(raw<int32_t>({3}), raw<int64_t>({0}), raw<int64_t>({0, 1}), 4));
  EXPECT_EQ(documents(TokenFile(path, 100, 9)), (Documents{{1, 2, 3}}));
}

TEST_F(TokenFileTest, RefusesDamagedMegatronIndexes) {
  const std::string sizes = raw<int32_t>({2, 1, 3}), pointers = raw<int64_t>({0, 4, 6}),
                    marks = raw<int64_t>({0, 1, 3});
  const auto path = write("x.bin", raw<uint16_t>({1, 2, 3, 4, 5, 6}));
  const std::string good = megatron(sizes, pointers, marks);
  const std::vector<std::pair<std::string, const char*>> wrong = {
      {"", "no index"},
      {"MMIDIDY" + good.substr(7), "no index"},
      {good.substr(0, 20), "no index"},
      {good.substr(0, good.size() - 1), "cut"},
      {good + "x", "cut"},
      {megatron(sizes, pointers, marks, 6), "type code"},
      {megatron(sizes, pointers, marks, 8, 2), "version"},
      {megatron(raw<int32_t>({2, -1, 3}), pointers, marks), "sequence 1"},
      {megatron(sizes, raw<int64_t>({0, 2, 6}), marks), "sequence 1"},
      {megatron(raw<int32_t>({2, 1, 4}), pointers, marks), "another size"},
      {megatron(sizes, pointers, raw<int64_t>({0, 4, 3})), "document 1"},
      {megatron(sizes, pointers, raw<int64_t>({0, 2, 1})), "document 2"},
      {megatron(sizes, pointers, raw<int64_t>({-1, 1, 3})), "document 0"}};
  for (const auto& [index, reason] : wrong) {
    write("x.idx", index);
    EXPECT_TRUE(testing::contains(refused(path), reason)) << reason << ": " << refused(path);
  }
  // Counts that would overflow.
  write("x.idx", std::string("MMIDIDX\0\0", 9) + raw<uint64_t>({1}) + raw<uint8_t>({8}) +
                     raw<uint64_t>({-1, -1}));
  EXPECT_TRUE(testing::contains(refused(path), "cut")) << refused(path);
}

TEST_F(TokenFileTest, RefusesOtherDamage) {
  EXPECT_TRUE(testing::contains(refused(folder_ / "absent.bin"), "absent.bin"));
  EXPECT_TRUE(testing::contains(refused(write("a.bin", "")), "no ids"));
  EXPECT_TRUE(testing::contains(refused(write("b.bin", "abc")), "odd"));
  EXPECT_TRUE(
      testing::contains(refused(write("c.bin", raw<uint16_t>({5, 6, 100}))), "number 2 is 100"));
  EXPECT_TRUE(testing::contains(refused(write("d.bin", llmc(20240520, 1, 3) + "ab")), "cut"));
  EXPECT_TRUE(testing::contains(refused(write("e.bin", llmc(20240520, 2, 0))), "version"));
  EXPECT_TRUE(testing::contains(refused(write("f.bin", llmc(20240522, 1, 0))), "evaluation"));
  EXPECT_TRUE(testing::contains(refused(write("g.bin", llmc(20240801, 7, 1) + raw<uint32_t>({-1}))),
                                "number 0 is -1"));
}

}  // namespace
}  // namespace mesita::training
