#include "tokenizer/wire_format.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "tests/tokenizer/model_writer.h"

namespace mesita::tokenizer {
namespace {

size_t count_fields(const std::string& message) {
  WireReader reader(message);
  WireField field;
  size_t count = 0;
  while (reader.next(field)) ++count;
  return count;
}

TEST(WireFormat, ReadsEachType) {
  std::string message;
  testing::append_number(message, 1, 300);
  testing::append_bytes(message, 16, "text");
  message += std::string("\x1D\x00\x00\x80\x3F", 5);                  // field 3, four bytes
  message += std::string("\x21\x01\x00\x00\x00\x00\x00\x00\x80", 9);  // field 4, eight bytes
  testing::append_number(message, 5, ~uint64_t{0});
  WireReader reader(message);
  WireField field;
  ASSERT_TRUE(reader.next(field));
  EXPECT_EQ(field.number, 1U);
  EXPECT_EQ(field.value, 300U);
  ASSERT_TRUE(reader.next(field));
  EXPECT_EQ(field.number, 16U);
  EXPECT_EQ(field.bytes, "text");
  ASSERT_TRUE(reader.next(field));
  EXPECT_EQ(field.type, WireField::Type::fixed32);
  EXPECT_EQ(field.value, 0x3F800000U);
  ASSERT_TRUE(reader.next(field));
  EXPECT_EQ(field.value, 0x8000000000000001U);
  ASSERT_TRUE(reader.next(field));
  EXPECT_EQ(field.value, ~uint64_t{0});
  EXPECT_FALSE(reader.next(field));
}

TEST(WireFormat, RefusesWhatIsNoMessage) {
  EXPECT_EQ(count_fields(""), 0);
  for (const std::string& bad : {std::string("\x00\x00", 2),   // field 0
                                 std::string("\x0B"),          // a group
                                 std::string("\x0F\x01"),      // type 7
                                 std::string("\x08"),          // no value
                                 std::string("\x08\x80"),      // a value without end
                                 std::string("\x0A\x05xyz"),   // five bytes announced, three there
                                 std::string("\x0D\x01\x02"),  // half a float
                                 std::string("\x09\x01\x02"),  // half a double
                                 std::string("\x08") + std::string(10, '\xFF') + "\x01",
                                 // a length near 2^64 must not wrap around
                                 "\x0A" + std::string(9, '\xFF') + "\x01"}) {
    EXPECT_THROW(count_fields(bad), std::runtime_error) << ::testing::PrintToString(bad);
  }
}

}  // namespace
}  // namespace mesita::tokenizer
