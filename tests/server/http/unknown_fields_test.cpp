#include "server/http/unknown_fields.h"

#include <gtest/gtest.h>

namespace mesita::http {
namespace {

TEST(UnknownFields, EachNameIsNewsOnce) {
  UnknownFields fields;
  EXPECT_EQ(fields.news({"a", "b"}), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(fields.news({"b", "c"}), (std::vector<std::string>{"c"}));
}

TEST(UnknownFields, ClientsCannotFillTheMemory) {
  UnknownFields fields;
  for (size_t i = 0; i < UnknownFields::kMost; ++i) fields.news({"field" + std::to_string(i)});
  EXPECT_TRUE(fields.news({"one more"}).empty());
  EXPECT_TRUE(UnknownFields().news({std::string(100'000, 'x')}).empty());
}

}  // namespace
}  // namespace mesita::http
