#include "server/http/tokenize_route.h"

#include <gtest/gtest.h>

#include "tests/server/http/served_models.h"

namespace mesita::http {
namespace {

using testing::TestServer;

class TokenizeRoute : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { server_ = new TestServer; }
  static void TearDownTestSuite() {
    delete server_;
    server_ = nullptr;
  }
  static std::vector<int32_t> tokens(const Json& body) {
    return server_->ask("/tokenize", body)["tokens"].get<std::vector<int32_t>>();
  }
  static int status(const std::string& path, const std::string& body) {
    return server_->post(path, body).status;
  }
  static TestServer* server_;
};
TestServer* TokenizeRoute::server_ = nullptr;

TEST_F(TokenizeRoute, DefaultsFollowTheFieldsOrigin) {
  const auto vllm = tokens({{"prompt", "the table"}});
  const auto llama = tokens({{"content", "the table"}});
  EXPECT_EQ(vllm[0], 1);
  EXPECT_EQ(std::vector<int32_t>(vllm.begin() + 1, vllm.end()), llama);
  EXPECT_EQ(tokens({{"prompt", "the table"}, {"add_special_tokens", false}}), llama);
  EXPECT_EQ(tokens({{"content", "the table"}, {"add_special", true}}), vllm);
  const Json answer = server_->ask("/tokenize", {{"prompt", "the table"}});
  EXPECT_EQ(answer["count"], vllm.size());
  EXPECT_EQ(answer["max_model_len"], 64);
}

TEST_F(TokenizeRoute, ExactlyASpecialNameIsItsId) {
  EXPECT_EQ(tokens({{"prompt", "</s>"}, {"add_special_tokens", false}}), std::vector<int32_t>{2});
  EXPECT_GT(tokens({{"prompt", " </s>"}, {"add_special_tokens", false}}).size(), 1u);
  const auto parsed =
      tokens({{"prompt", "a</s>"}, {"add_special_tokens", false}, {"parse_special", true}});
  EXPECT_EQ(parsed.back(), 2);
}

TEST_F(TokenizeRoute, RoundTripIsExact) {
  for (const std::string text : {"", "the table", "  two  blanks ", "tab\there\n\nlines",
                                 "Olé “tea” 😀", "\u2581", "a</s>b", "\r\n", "e\u0301"}) {
    const auto ids = tokens({{"content", text}});
    const Json back = server_->ask("/detokenize", {{"tokens", ids}});
    EXPECT_EQ(back["prompt"], text);
    EXPECT_EQ(back["content"], text);
  }
  const std::string nul("a\0b", 3);
  EXPECT_EQ(server_->ask("/detokenize", {{"tokens", tokens({{"content", nul}})}})["content"], nul);
}

TEST_F(TokenizeRoute, DetokenizeSpellsSpecialsAndSurvivesFragments) {
  EXPECT_EQ(server_->ask("/detokenize", {{"tokens", {1, 2}}})["prompt"], "<s></s>");
  EXPECT_EQ(server_->ask("/detokenize", {{"tokens", Json::array()}})["prompt"], "");
  for (int32_t id = 0; id < 320; ++id) {
    EXPECT_EQ(server_->post("/detokenize", Json{{"tokens", {id}}}.dump()).status, 200) << id;
  }
}

TEST_F(TokenizeRoute, WrongRequestsAre400) {
  for (const auto* body :
       {"{}", R"({"prompt": 1})", R"({"prompt": ["a"]})", R"({"prompt": "a", "content": "b"})",
        R"({"prompt": "a", "add_special_tokens": 1})", R"({"model": "ids", "prompt": "a"})",
        R"({"model": "run", "prompt": "zebra"})"}) {
    EXPECT_EQ(status("/tokenize", body), 400) << body;
  }
  for (const auto* body :
       {"{}", R"({"tokens": "a"})", R"({"tokens": [320]})", R"({"tokens": [-1]})",
        R"({"tokens": [1.5]})", R"({"model": "ids", "tokens": [1]})"}) {
    EXPECT_EQ(status("/detokenize", body), 400) << body;
  }
}

TEST_F(TokenizeRoute, InfoIsThePathsModels) {
  EXPECT_EQ(Json::parse(server_->get("/tokenizer_info").body)["eos_token"], "</s>");
  EXPECT_EQ(Json::parse(server_->get("/models/run/tokenizer_info").body)["bos_token"], "<s>");
  EXPECT_EQ(server_->ask("/models/run/tokenize", {{"content", "b a"}})["tokens"],
            Json::array({3, 2}));
}

}  // namespace
}  // namespace mesita::http
