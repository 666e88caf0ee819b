#include "server/http/router.h"

#include <gtest/gtest.h>

#include "server/http/api_error.h"

namespace mesita::http {
namespace {

class RouterTest : public ::testing::Test {
 protected:
  RouterTest() {
    const auto handler = [](const Request&) { return Response{}; };
    router_.add("GET", "/v1/models", Access::key, handler);
    router_.add("GET", "/v1/models/*", Access::key, handler);
    router_.add("POST", "/tokenize", Access::key, handler);
    router_.add("GET", "/", Access::open, handler);
    router_.set_models({"a", "a/b", "long/er/id"});
  }
  /// Status of the refusal, 0 for a match.
  int status(const std::string& method, const std::string& path) const {
    try {
      router_.match(method, path);
    } catch (const ApiError& error) {
      return error.status();
    }
    return 0;
  }
  Router router_;
};

TEST_F(RouterTest, FindsRoutes) {
  EXPECT_EQ(status("GET", "/v1/models"), 0);
  EXPECT_EQ(status("HEAD", "/v1/models"), 0);
  EXPECT_EQ(router_.match("GET", "/").access, Access::open);
  EXPECT_EQ(router_.match("GET", "/v1/models/x/y").path, "/v1/models/x/y");
}

TEST_F(RouterTest, UnknownPathsAre404) {
  for (const auto* path : {"/nope", "/v1", "/v1/models/", "//", "/tokenize/", "*", "/models",
                           "/models/", "/models/zzz/tokenize", "/models/zzz"}) {
    EXPECT_EQ(status("GET", path), 404) << path;
  }
}

TEST_F(RouterTest, WrongMethodsAre405WithAllow) {
  EXPECT_EQ(status("DELETE", "/v1/models"), 405);
  EXPECT_EQ(status("BREW", "/tokenize"), 405);
  try {
    router_.match("POST", "/v1/models");
    FAIL();
  } catch (const ApiError& error) {
    EXPECT_EQ(error.headers()[0],
              std::make_pair(std::string("Allow"), std::string("GET, HEAD, OPTIONS")));
  }
}

TEST_F(RouterTest, TheLongestModelIdWins) {
  const Router::Match match = router_.match("POST", "/models/a/b/tokenize");
  EXPECT_EQ(match.model, "a/b");
  EXPECT_EQ(match.path, "/tokenize");
  EXPECT_EQ(router_.match("POST", "/models/a/tokenize").model, "a");
  EXPECT_EQ(router_.match("GET", "/models/long/er/id/v1/models").model, "long/er/id");
  EXPECT_TRUE(router_.match("POST", "/tokenize").model.empty());
}

TEST_F(RouterTest, AModelsPathAloneIsItsListing) {
  for (const std::string id : {"a", "a/b", "long/er/id"}) {
    const Router::Match match = router_.match("GET", "/models/" + id);
    EXPECT_EQ(match.path, "/v1/models/" + id);
    EXPECT_EQ(match.model, id);
  }
  EXPECT_EQ(status("POST", "/models/a"), 405);
}

}  // namespace
}  // namespace mesita::http
