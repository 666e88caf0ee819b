#include "server/http/health_route.h"

#include <gtest/gtest.h>

namespace mesita::http {
namespace {

TEST(HealthRoute, OkOnlyWhenReady) {
  std::atomic<bool> ready{false};
  try {
    answer_health(ready);
    FAIL();
  } catch (const ApiError& error) {
    EXPECT_EQ(error.status(), 503);
  }
  ready = true;
  EXPECT_EQ(answer_health(ready).body, R"({"status":"ok"})");
}

}  // namespace
}  // namespace mesita::http
