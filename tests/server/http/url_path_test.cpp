#include "server/http/url_path.h"

#include <gtest/gtest.h>

namespace mesita::http {
namespace {

TEST(UrlPath, DecodesAndDropsTheQuery) {
  EXPECT_EQ(path_of_target("/v1/models?x=%20"), "/v1/models");
  EXPECT_EQ(path_of_target("/v1/models/a%2Fb%20c"), "/v1/models/a/b c");
  EXPECT_EQ(path_of_target("/%C3%A9#f"), "/é");
  EXPECT_EQ(path_of_target("/a+b"), "/a+b");
}

TEST(UrlPath, RefusesWhatIsNoPath) {
  for (const auto* target : {"", "*", "http://other/", "a/b", "/%", "/%1", "/%zz", "/%00", "/%0a",
                             "/%0d%0aX: y", "/%7f", "/%ff", "/%c3"}) {
    EXPECT_FALSE(path_of_target(target)) << target;
  }
}

TEST(UrlPath, HostNames) {
  EXPECT_EQ(host_name("localhost:8080"), "localhost");
  EXPECT_EQ(host_name("[::1]:80"), "::1");
  EXPECT_EQ(host_name("[::1]"), "::1");
  EXPECT_EQ(host_name("a.example"), "a.example");
  for (const auto* host :
       {"", ":80", "a:", "a:b", "a:123456", "a b", "[::1", "[::1]x", "a/b", "user@host", "a,b"}) {
    EXPECT_FALSE(host_name(host)) << host;
  }
}

}  // namespace
}  // namespace mesita::http
