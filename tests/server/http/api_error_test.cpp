#include "server/http/api_error.h"

#include <gtest/gtest.h>

namespace mesita::http {
namespace {

TEST(ApiError, BodyHasTheFourFieldsOfOpenAi) {
  const Json body = invalid_request("n must be an integer", "n").body();
  EXPECT_EQ(to_text(body),
            R"({"error":{"message":"n must be an integer","type":"invalid_request_error",)"
            R"("param":"n","code":null}})");
}

TEST(ApiError, ContextErrorsCarryTheTwoNumbers) {
  const ApiError error = context_exceeded(40, 32);
  EXPECT_EQ(error.status(), 400);
  const Json body = error.body()["error"];
  EXPECT_EQ(body["type"], "exceed_context_size_error");
  EXPECT_EQ(body["n_prompt_tokens"], 40);
  EXPECT_EQ(body["n_ctx"], 32);
}

TEST(ApiError, OverloadSaysWhenToTryAgain) {
  const ApiError error = overloaded(256);
  EXPECT_EQ(error.status(), 429);
  ASSERT_EQ(error.headers().size(), 1u);
  EXPECT_EQ(error.headers()[0].first, "Retry-After");
  EXPECT_EQ(unavailable("loading").headers().size(), 1u);
}

TEST(ApiError, TextNeverThrowsOnInvalidUtf8) {
  EXPECT_EQ(to_text(Json("a\xFF"
                         "b")),
            "\"a\xEF\xBF\xBD"
            "b\"");
  EXPECT_EQ(to_text(invalid_request("\xE2\x82").body()["error"]["message"]), "\"\xEF\xBF\xBD\"");
}

TEST(ApiError, ClientsTextIsRepeatedInPart) {
  EXPECT_EQ(excerpt("short"), "short");
  EXPECT_EQ(excerpt(std::string(64, 'x')), std::string(64, 'x'));
  EXPECT_EQ(excerpt(std::string(1'000'000, 'x')), std::string(64, 'x') + "...");
  EXPECT_EQ(excerpt("x" + std::string("ééééééééééééééééééééééééééééééééé")),
            "x" + std::string("ééééééééééééééééééééééééééééééé") + "...");
  EXPECT_EQ(in_quotes("n"), "\"n\"");
}

}  // namespace
}  // namespace mesita::http
