#include "server/http/models_route.h"

#include <gtest/gtest.h>

#include "tests/server/http/served_models.h"

namespace mesita::http {
namespace {

TEST(ModelsRoute, ListsAndRetrieves) {
  const testing::TestServer server;
  const Json list = Json::parse(server.get("/v1/models").body);
  EXPECT_EQ(list["data"][3]["id"], "story");
  EXPECT_EQ(Json::parse(server.get("/v1/models/sub/other").body)["id"], "sub/other");
  EXPECT_EQ(Json::parse(server.get("/v1/models/sub%2Fother").body)["id"], "sub/other");
  EXPECT_EQ(Json::parse(server.get("/v1/models/broken").body)["status"], "failed");
  EXPECT_EQ(server.get("/v1/models/nope").status, 404);
  EXPECT_EQ(server.get("/v1/models/..%2Fstory").status, 404);
  EXPECT_EQ(Json::parse(server.get("/models/story/v1/models").body)["data"].size(), 5u);
}

}  // namespace
}  // namespace mesita::http
