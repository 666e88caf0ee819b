#include "server/http/page_route.h"

#include <gtest/gtest.h>

namespace mesita::http {
namespace {

TEST(PageRoute, AnswersTheFileWithAStrictPolicy) {
  const Response response = answer_page({"/app.js", "text/javascript", "let a = 1"});
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.content_type, "text/javascript");
  EXPECT_EQ(response.body, "let a = 1");
  bool policy = false;
  for (const auto& [name, value] : response.headers) {
    policy |= name == "Content-Security-Policy" && value.find("'self'") != std::string::npos &&
              value.find("unsafe") == std::string::npos;
  }
  EXPECT_TRUE(policy);
}

}  // namespace
}  // namespace mesita::http
