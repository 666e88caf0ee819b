#include "server/http/compare_route.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/server/http/served_models.h"

namespace mesita::http {
namespace {

using testing::events_of;
using testing::HttpAnswer;
using testing::TestServer;

int status_of(const TestServer& server, const Json& body) {
  return server.post("/compare", body.dump()).status;
}

TEST(CompareRoute, OneStreamOfAllModelsEqualToEachAlone) {
  const TestServer server;
  const Json request = {{"prompt", "the table"}, {"seed", 3}, {"max_tokens", 20}, {"n", 2}};
  Json compare = request;
  compare["models"] = {"story", "sub/other"};
  const HttpAnswer answer = server.post("/compare", compare.dump());
  EXPECT_EQ(answer.header("content-type"), "text/event-stream");
  auto events = events_of(answer.body);
  ASSERT_EQ(events.back(), "[DONE]");
  events.pop_back();
  std::map<std::string, std::map<int, std::string>> texts;
  for (const std::string& event : events) {
    const Json chunk = Json::parse(event);
    const Json& choice = chunk["choices"][0];
    EXPECT_EQ(choice["seed"], 3);
    texts[chunk["model"]][choice["index"]] += choice["text"].get<std::string>();
  }
  ASSERT_EQ(texts.size(), 2u);
  for (const auto& [model, choices] : texts) {
    Json alone = request;
    alone["model"] = model;
    const Json whole = server.ask("/v1/completions", alone);
    for (const auto& [index, text] : choices) {
      EXPECT_EQ(text, whole["choices"][static_cast<size_t>(index)]["text"]) << model;
    }
  }
}

TEST(CompareRoute, UsageComesForEachModel) {
  const TestServer server;
  const auto events =
      events_of(server
                    .post("/compare", R"({"models": ["story", "sub/other"], "prompt": "a",
                                  "stream_options": {"include_usage": true}})")
                    .body);
  std::vector<std::string> models;
  for (const std::string& event : events) {
    if (event == "[DONE]") continue;
    const Json chunk = Json::parse(event);
    if (chunk["choices"].empty()) models.push_back(chunk["model"]);
  }
  EXPECT_EQ(models, (std::vector<std::string>{"story", "sub/other"}));
}

TEST(CompareRoute, WhatOneModelRefusesFailsTheCall) {
  const TestServer server;
  EXPECT_EQ(status_of(server, {{"models", {"story", "nope"}}, {"prompt", "a"}}), 404);
  EXPECT_EQ(status_of(server, {{"models", {"story", "broken"}}, {"prompt", "a"}}), 404);
  EXPECT_EQ(status_of(server, {{"models", {"story", "ids"}}, {"prompt", "a"}}), 400);
  EXPECT_EQ(status_of(server, {{"models", Json::array()}, {"prompt", "a"}}), 400);
  EXPECT_EQ(status_of(server, {{"models", {"story", "story"}}, {"prompt", "a"}}), 400);
  EXPECT_EQ(status_of(server, {{"models", "story"}, {"prompt", "a"}}), 400);
  Json ids = Json::array();
  for (int i = 0; i < 50; ++i) ids.push_back(5);
  EXPECT_EQ(status_of(server, {{"models", {"story", "sub/other"}}, {"prompt", ids}}), 400)
      << "fits the first model only";
}

TEST(CompareRoute, WithoutModelsItIsTheDefault) {
  const TestServer server;
  const auto events = events_of(server.post("/compare", R"({"prompt": "a"})").body);
  EXPECT_EQ(Json::parse(events[0])["model"], "story");
}

}  // namespace
}  // namespace mesita::http
