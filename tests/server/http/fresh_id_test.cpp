#include "server/http/fresh_id.h"

#include <gtest/gtest.h>

#include <set>

namespace mesita::http {
namespace {

TEST(FreshId, NamesDiffer) {
  std::set<std::string> names;
  for (int i = 0; i < 1000; ++i) names.insert(fresh_id("req-"));
  EXPECT_EQ(names.size(), 1000u);
  EXPECT_TRUE(names.begin()->starts_with("req-"));
  EXPECT_EQ(names.begin()->size(), 4u + 24u);
}

}  // namespace
}  // namespace mesita::http
