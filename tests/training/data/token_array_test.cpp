#include "training/data/token_array.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace mesita::training {
namespace {

std::vector<std::byte> bytes(std::initializer_list<int> values) {
  std::vector<std::byte> result;
  for (const int value : values) result.push_back(static_cast<std::byte>(value));
  return result;
}

TEST(TokenArray, ReadsEveryType) {
  const auto data = bytes({5, 0, 0, 0, 0, 0, 0, 0, 0x2C, 1, 0, 0, 0, 0, 0, 0});
  const auto ids = [&](TokenType type) {
    std::vector<int32_t> result;
    const TokenArray array(data, type);
    array.read(0, array.size(), result);
    return result;
  };
  EXPECT_EQ(ids(TokenType::int64), (std::vector<int32_t>{5, 300}));
  EXPECT_EQ(ids(TokenType::int32), (std::vector<int32_t>{5, 0, 300, 0}));
  EXPECT_EQ(ids(TokenType::uint32), (std::vector<int32_t>{5, 0, 300, 0}));
  EXPECT_EQ(ids(TokenType::uint16), (std::vector<int32_t>{5, 0, 0, 0, 300, 0, 0, 0}));
  EXPECT_EQ(ids(TokenType::int16)[4], 300);
  EXPECT_EQ(ids(TokenType::uint8)[8], 0x2C);
}

TEST(TokenArray, IdsThatCannotBeAreMinusOne) {
  const auto ones = bytes({255, 255, 255, 255, 255, 255, 255, 255});
  for (const TokenType type :
       {TokenType::int8, TokenType::int16, TokenType::int32, TokenType::int64, TokenType::uint32})
    EXPECT_EQ(TokenArray(ones, type)[0], -1);
  EXPECT_EQ(TokenArray(ones, TokenType::uint16)[0], 65535);
  EXPECT_EQ(TokenArray(ones, TokenType::uint8)[7], 255);
}

TEST(TokenArray, FindsTheFirstIdOutside) {
  const auto data = bytes({1, 0, 9, 0, 2, 0, 11, 0});
  const TokenArray array(data, TokenType::uint16);
  EXPECT_EQ(array.first_outside(12), 4);
  EXPECT_EQ(array.first_outside(11), 3);
  EXPECT_EQ(array.first_outside(9), 1);
}

TEST(TokenArray, RefusesPlacesOutside) {
  const auto data = bytes({1, 0, 9});
  const TokenArray array(data, TokenType::uint16);
  std::vector<int32_t> ids;
  EXPECT_EQ(array.size(), 1);
  EXPECT_THROW(array.read(0, 2, ids), std::out_of_range);
  EXPECT_THROW(array.read(-1, 1, ids), std::out_of_range);
  EXPECT_THROW(array.read(1, 0, ids), std::out_of_range);
}

TEST(TokenArray, WhatIsAppendedIsReadBack) {
  for (const TokenType type : {TokenType::uint16, TokenType::uint32}) {
    std::vector<std::byte> data;
    const std::vector<int32_t> ids{0, 1, 65535, 256};
    append_ids(ids, type, data);
    EXPECT_EQ(data.size(), ids.size() * bytes_of(type));
    std::vector<int32_t> back;
    TokenArray(data, type).read(0, 4, back);
    EXPECT_EQ(back, ids);
  }
  EXPECT_EQ(type_for(65536), TokenType::uint16);
  EXPECT_EQ(type_for(65537), TokenType::uint32);
}

}  // namespace
}  // namespace mesita::training
