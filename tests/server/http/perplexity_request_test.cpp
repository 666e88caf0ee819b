#include "server/http/perplexity_request.h"

#include <gtest/gtest.h>

#include "server/http/api_error.h"

namespace mesita::http {
namespace {

PerplexityRequest parse(const std::string& text) {
  Fields fields(nlohmann::json::parse(text));
  return parse_perplexity(fields);
}

std::string blamed(const std::string& text) {
  try {
    parse(text);
  } catch (const ApiError& error) {
    return error.param();
  }
  return "(nothing)";
}

TEST(PerplexityRequest, ReadsTextsOrIds) {
  EXPECT_EQ(parse(R"({"texts": ["a", ""]})").texts.size(), 2u);
  EXPECT_EQ(parse(R"({"ids": [[1, 2]], "convention": "document"})").ids.size(), 1u);
  const PerplexityRequest request =
      parse(R"({"texts": ["a"], "context": 8, "stride": 3, "per_token": true, "score_end": true})");
  EXPECT_EQ(request.context, 8);
  EXPECT_EQ(request.stride, 3);
  EXPECT_TRUE(request.per_token && request.score_end);
}

TEST(PerplexityRequest, BlamesTheField) {
  EXPECT_EQ(blamed("{}"), "texts");
  EXPECT_EQ(blamed(R"({"texts": []})"), "texts");
  EXPECT_EQ(blamed(R"({"ids": []})"), "ids");
  EXPECT_EQ(blamed(R"({"texts": "a"})"), "texts");
  EXPECT_EQ(blamed(R"({"texts": ["a"], "ids": [[1]]})"), "ids");
  EXPECT_EQ(blamed(R"({"texts": ["a"], "convention": "sliding"})"), "convention");
  EXPECT_EQ(blamed(R"({"texts": ["a"], "context": 1})"), "context");
  EXPECT_EQ(blamed(R"({"texts": ["a"], "stride": 0})"), "stride");
  EXPECT_EQ(blamed(R"({"texts": ["a"], "per_token": 1})"), "per_token");
  EXPECT_EQ(blamed(R"({"texts": ["a"], "parse_special": 1})"), "parse_special");
}

TEST(PerplexityRequest, RepeatsALongConventionInPart) {
  try {
    parse(R"({"texts": ["a"], "convention": ")" + std::string(100'000, 'c') + "\"}");
    FAIL();
  } catch (const ApiError& error) {
    EXPECT_LT(std::string(error.what()).size(), 200u);
  }
}

}  // namespace
}  // namespace mesita::http
