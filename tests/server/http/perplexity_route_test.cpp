#include "server/http/perplexity_route.h"

#include <gtest/gtest.h>

#include <cmath>

#include "server/evaluation/perplexity.h"
#include "tests/server/http/served_models.h"

namespace mesita::http {
namespace {

using testing::TestServer;

const ModelEntry& model(const std::string& id) {
  return *testing::served_registry().find(id);
}

TEST(PerplexityRoute, SumsEqualDirectScoringExactly) {
  const TestServer server;
  const std::vector<std::string> texts = {"the table saw a leg.", testing::tiny_text(30), "é", ""};
  const Json answer = server.ask("/perplexity", {{"models", {"story"}}, {"texts", texts}});
  EXPECT_EQ(answer["convention"], "document");
  EXPECT_EQ(answer["context"], 64);
  EXPECT_EQ(answer["stride"], 32);
  ASSERT_EQ(answer["results"].size(), texts.size());
  double sum = 0.0;
  for (size_t i = 0; i < texts.size(); ++i) {
    const Json& result = answer["results"][i];
    const auto direct =
        evaluation::score_text(model("story").model(), texts[i], {.context = 64, .stride = 32})
            .sums;
    EXPECT_EQ(result["text_index"], i);
    EXPECT_EQ(result["nats"].get<double>(), direct.nats) << i;
    EXPECT_EQ(result["tokens"], direct.tokens);
    EXPECT_EQ(result["scored_tokens"], direct.scored_tokens);
    EXPECT_EQ(result["bytes"], texts[i].size());
    EXPECT_FALSE(result.contains("per_token"));
    sum += direct.nats;
  }
  const Json& summary = answer["summary"][0];
  EXPECT_NEAR(summary["nats"].get<double>(), sum, 1e-9);
  EXPECT_TRUE(summary["stderr_nats_per_token_over_tokens"].is_number());
  EXPECT_TRUE(summary["stderr_nats_per_token_over_texts"].is_number());
  EXPECT_TRUE(answer["pairs"].is_array());
}

TEST(PerplexityRoute, TokensCoverTheTextAndSumUp) {
  const TestServer server;
  const std::string text = "Olé, the table.";
  const Json answer =
      server.ask("/perplexity", {{"models", {"story"}}, {"texts", {text}}, {"per_token", true}});
  const Json& result = answer["results"][0];
  double nats = 0.0;
  size_t at = 0;
  for (const Json& token : result["per_token"]) {
    EXPECT_EQ(token["start"], at);
    at = token["end"];
    nats += token["nats"].get<double>();
  }
  EXPECT_EQ(at, text.size());
  EXPECT_NEAR(nats, result["nats"].get<double>(), 1e-9);
}

TEST(PerplexityRoute, EqualsWhatACompletionEchoes) {
  const TestServer server;
  const Json echo = server.ask(
      "/v1/completions",
      {{"prompt", "the dog lost a leg"}, {"echo", true}, {"max_tokens", 0}, {"logprobs", 0}});
  const Json scored =
      server.ask("/perplexity", {{"texts", {"the dog lost a leg"}}, {"per_token", true}});
  const Json& logprobs = echo["choices"][0]["logprobs"]["token_logprobs"];
  const Json& tokens = scored["results"][0]["per_token"];
  ASSERT_EQ(logprobs.size(), tokens.size());
  for (size_t i = 0; i < tokens.size(); ++i) {
    EXPECT_EQ(-tokens[i]["nats"].get<double>(), logprobs[i].get<double>()) << i;
  }
}

TEST(PerplexityRoute, SeveralModelsGetTheSameWindow) {
  const TestServer server;
  const Json answer = server.ask(
      "/perplexity", {{"models", {"story", "sub/other"}}, {"texts", {"the table", "a leg"}}});
  EXPECT_EQ(answer["context"], 48);
  ASSERT_EQ(answer["results"].size(), 4u);
  EXPECT_EQ(answer["results"][2]["model"], "sub/other");
  EXPECT_EQ(answer["summary"].size(), 2u);
  EXPECT_NE(answer["results"][0]["nats"], answer["results"][2]["nats"]);
}

TEST(PerplexityRoute, RatiosOfAnEmptyTextAreNull) {
  const TestServer server;
  const Json answer = server.ask("/perplexity", {{"model", "story"}, {"texts", {""}}});
  for (const char* part : {"results", "summary"}) {
    const Json& row = answer[part][0];
    EXPECT_EQ(row["scored_tokens"], 0);
    for (const char* ratio : {"nats_per_token", "bits_per_token", "bits_per_byte", "perplexity"}) {
      EXPECT_TRUE(row[ratio].is_null()) << ratio;
    }
  }
}

TEST(PerplexityRoute, IdsAreScoredWithoutStart) {
  const TestServer server;
  const Json answer = server.ask("/perplexity", {{"model", "ids"}, {"ids", {{1, 2, 3}, {4}}}});
  EXPECT_EQ(answer["results"][0]["scored_tokens"], 2);
  EXPECT_EQ(answer["results"][0]["skipped_tokens"], 1);
  EXPECT_EQ(answer["results"][1]["scored_tokens"], 0);
}

TEST(PerplexityRoute, TheEndIsScoredOnRequest) {
  const TestServer server;
  const Json plain = server.ask("/perplexity", {{"texts", {"the table"}}});
  const Json ended = server.ask("/perplexity", {{"texts", {"the table"}}, {"score_end", true}});
  EXPECT_EQ(ended["results"][0]["scored_tokens"].get<int>(),
            plain["results"][0]["scored_tokens"].get<int>() + 1);
}

TEST(PerplexityRoute, NamesOfSpecialTokensAreTextUnlessAsked) {
  const TestServer server;
  const auto result = [&](const Json& more) {
    Json body = {{"model", "story"}, {"texts", {"the</s>table"}}, {"per_token", true}};
    body.update(more);
    return server.ask("/perplexity", body)["results"][0];
  };
  const auto ends = [](const Json& scored) {
    size_t at = 0;
    int count = 0;
    for (const Json& token : scored["per_token"]) {
      EXPECT_EQ(token["start"], at);
      at = token["end"];
      if (token["id"] != 2) continue;
      ++count;
      EXPECT_EQ(token["end"].get<int>() - token["start"].get<int>(), 4);
    }
    EXPECT_EQ(at, 12u);
    return count;
  };
  EXPECT_EQ(ends(result(Json::object())), 0);
  const Json parsed = result({{"parse_special", true}});
  EXPECT_EQ(ends(parsed), 1);
  EXPECT_EQ(parsed["bytes"], 12);
  const Json echo = server.ask("/v1/completions", {{"prompt", "the</s>table"},
                                                   {"parse_special", true},
                                                   {"echo", true},
                                                   {"max_tokens", 0},
                                                   {"logprobs", 0}});
  const Json& logprobs = echo["choices"][0]["logprobs"]["token_logprobs"];
  ASSERT_EQ(logprobs.size(), parsed["per_token"].size());
  for (size_t i = 0; i < logprobs.size(); ++i) {
    EXPECT_EQ(-parsed["per_token"][i]["nats"].get<double>(), logprobs[i].get<double>()) << i;
  }
}

TEST(PerplexityRoute, TextBeginsAfterLeadingSpecialTokens) {
  const TestServer server;
  const Json answer =
      server.ask("/perplexity", {{"model", "run"}, {"ids", {{0, 2, 3}}}, {"per_token", true}});
  std::vector<std::string> texts;
  for (const Json& token : answer["results"][0]["per_token"]) texts.push_back(token["text"]);
  EXPECT_EQ(texts, (std::vector<std::string>{"", "a", " b"}));
}

TEST(PerplexityRoute, WrongRequestsAre400WithParam) {
  const TestServer server;
  const auto blamed = [&](const Json& body) {
    const auto answer = server.post("/perplexity", body.dump());
    EXPECT_EQ(answer.status, 400) << body.dump();
    return Json::parse(answer.body)["error"]["param"];
  };
  EXPECT_EQ(blamed({{"texts", {"a"}}, {"convention", "llama"}}), "convention");
  EXPECT_EQ(blamed({{"texts", {"a"}}, {"context", 65}}), "context");
  EXPECT_EQ(blamed({{"texts", {"a"}}, {"stride", 64}}), "stride");
  EXPECT_EQ(blamed({{"model", "ids"}, {"texts", {"a"}}}), "texts");
  EXPECT_EQ(blamed({{"model", "ids"}, {"ids", {{50}}}}), "ids");
  EXPECT_EQ(blamed({{"model", "ids"}, {"ids", {{5}}}, {"score_end", true}}), "score_end");
  EXPECT_EQ(server.post("/perplexity", R"({"models": ["nope"], "texts": ["a"]})").status, 404);
}

TEST(PerplexityRoute, ClientsThatLeaveStopTheWork) {
  TestServer server;
  testing::HttpClient client(server.port());
  const Json body = {{"texts", std::vector<std::string>(200, testing::tiny_text(40))},
                     {"stride", 1}};
  client.send(testing::http_request("POST", "/perplexity", body.dump()));
  for (int i = 0; i < 2000 && server.service().active() == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  client.close();
  const auto left = std::chrono::steady_clock::now();
  int quiet = 0;  // between windows there may be nothing at work for a moment
  while (quiet < 20 && std::chrono::steady_clock::now() - left < std::chrono::seconds(10)) {
    quiet = server.service().active() == 0 ? quiet + 1 : 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - left, std::chrono::milliseconds(2000));
}

}  // namespace
}  // namespace mesita::http
