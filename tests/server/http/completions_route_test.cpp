#include "server/http/completions_route.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/server/http/served_models.h"
#include "tests/support/message.h"
#include "tokenizer/utf8.h"

namespace mesita::http {
namespace {

using testing::contains;
using testing::events_of;
using testing::HttpAnswer;
using testing::TestServer;

class CompletionsRoute : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { server_ = new TestServer; }
  static void TearDownTestSuite() {
    delete server_;
    server_ = nullptr;
  }

  static Json ask(const Json& body) { return server_->ask("/v1/completions", body); }
  static HttpAnswer post(const Json& body) { return server_->post("/v1/completions", body.dump()); }
  /// The choices that a stream's chunks make up, with arrays joined; checks what all chunks share.
  static Json streamed(Json body) {
    body["stream"] = true;
    const HttpAnswer answer = post(body);
    EXPECT_EQ(answer.header("content-type"), "text/event-stream");
    EXPECT_EQ(tokenizer::find_invalid_utf8(answer.body), std::string::npos);
    std::vector<std::string> events = events_of(answer.body);
    EXPECT_EQ(events.back(), "[DONE]");
    events.pop_back();
    std::map<int64_t, Json> choices;
    for (const std::string& event : events) {
      const Json chunk = Json::parse(event);
      EXPECT_EQ(chunk["object"], "text_completion");
      EXPECT_EQ(chunk["choices"].size(), 1u);
      join(choices, chunk["choices"][0]);
    }
    Json list = Json::array();
    for (auto& [index, choice] : choices) list.push_back(choice);
    return list;
  }
  static void join(std::map<int64_t, Json>& choices, const Json& piece) {
    const int64_t index = piece["index"];
    if (!choices.contains(index)) {
      choices[index] = piece;
      return;
    }
    Json& whole = choices[index];
    EXPECT_TRUE(whole["finish_reason"].is_null()) << "nothing after the last chunk";
    whole["text"] = whole["text"].get<std::string>() + piece["text"].get<std::string>();
    whole["finish_reason"] = piece["finish_reason"];
    if (piece["logprobs"].is_null()) return;
    for (const auto& [name, values] : piece["logprobs"].items()) {
      for (const Json& value : values) whole["logprobs"][name].push_back(value);
    }
  }

  static TestServer* server_;
};
TestServer* CompletionsRoute::server_ = nullptr;

TEST_F(CompletionsRoute, AnswersInOpenAisShape) {
  const Json answer = ask({{"prompt", "the table"}, {"max_tokens", 4}, {"seed", 1}});
  EXPECT_EQ(answer["object"], "text_completion");
  EXPECT_EQ(answer["model"], "story");
  EXPECT_TRUE(answer["id"].get<std::string>().starts_with("cmpl-"));
  EXPECT_TRUE(answer["system_fingerprint"].get<std::string>().starts_with("mesita-"));
  const Json& choice = answer["choices"][0];
  for (const auto* key : {"index", "text", "logprobs", "finish_reason"}) {
    EXPECT_TRUE(choice.contains(key)) << key;
  }
  EXPECT_TRUE(choice["logprobs"].is_null());
  const Json& usage = answer["usage"];
  EXPECT_EQ(usage["total_tokens"],
            usage["prompt_tokens"].get<int>() + usage["completion_tokens"].get<int>());
}

TEST_F(CompletionsRoute, StreamedEqualsWholeForManyKindsOfRequests) {
  const std::vector<Json> requests = {
      {{"prompt", "the table"}},
      {{"prompt", ""}, {"temperature", 2}, {"max_tokens", 60}},
      {{"prompt", "a"}, {"n", 3}, {"temperature", 1.5}, {"max_tokens", 30}},
      {{"prompt", {"the table", "Mia"}}, {"n", 2}, {"echo", true}, {"logprobs", 3}},
      {{"prompt", {5, 6, 7}}, {"echo", true}, {"logprobs", 0}, {"max_tokens", 0}},
      {{"prompt", {{5, 200, 7}, {9}}}, {"logprobs", 20}, {"temperature", 2}, {"max_tokens", 40}},
      {{"prompt", "x"}, {"stop", {"e", "th", "a "}}, {"max_tokens", 50}, {"logprobs", 1}},
      {{"prompt", "x"}, {"top_k", 5}, {"top_p", 0.9}, {"min_p", 0.01}, {"max_tokens", 40}},
      {{"prompt", "x"},
       {"presence_penalty", 1},
       {"frequency_penalty", 1},
       {"repetition_penalty", 1.3},
       {"logit_bias", {{"10", 5}}},
       {"max_tokens", 40}},
      {{"prompt", "x"}, {"echo", true}, {"max_tokens", 5}},
  };
  for (Json request : requests) {
    for (const int seed : {1, 2, 3}) {
      request["seed"] = seed;
      const Json whole = ask(request)["choices"];
      EXPECT_EQ(streamed(request).dump(), whole.dump()) << request.dump();
      EXPECT_EQ(ask(request)["choices"].dump(), whole.dump()) << "asked again";
    }
  }
}

TEST_F(CompletionsRoute, SeededAnswersAreTheSameInCompany) {
  const Json request = {{"prompt", "the dog"},
                        {"seed", 7},
                        {"max_tokens", 40},
                        {"temperature", 1.2},
                        {"logprobs", 2}};
  const std::string alone = ask(request)["choices"].dump();
  std::vector<std::thread> others;
  for (int i = 0; i < 6; ++i) {
    others.emplace_back([i] {
      ask({{"prompt", "other"},
           {"seed", i},
           {"n", 4},
           {"max_tokens", 50},
           {"model", i % 2 == 0 ? "story" : "sub/other"}});
    });
  }
  std::vector<std::string> crowded(4);
  std::vector<std::thread> same;
  for (std::string& text : crowded) {
    same.emplace_back([&text, &request] { text = ask(request)["choices"].dump(); });
  }
  for (std::thread& thread : others) thread.join();
  for (std::thread& thread : same) thread.join();
  for (const std::string& text : crowded) EXPECT_EQ(text, alone);
}

TEST_F(CompletionsRoute, BatchedPromptsEqualSinglePrompts) {
  const Json options = {{"max_tokens", 1}, {"echo", true}, {"logprobs", 1}, {"temperature", 0}};
  Json batch = options;
  batch["prompt"] = {{3, 4, 5, 6, 7, 8, 9}, {10, 11}, {12, 13, 14}};
  const Json together = ask(batch)["choices"];
  ASSERT_EQ(together.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    Json single = options;
    single["prompt"] = batch["prompt"][i];
    EXPECT_EQ(ask(single)["choices"][0]["logprobs"].dump(), together[i]["logprobs"].dump());
    EXPECT_EQ(together[i]["index"], i);
  }
}

TEST_F(CompletionsRoute, ChoicesArePromptMajorAndDiffer) {
  const Json request = {{"prompt", {"the table", "Mia"}},
                        {"n", 3},
                        {"seed", 5},
                        {"max_tokens", 20},
                        {"temperature", 1.5},
                        {"echo", true}};
  const Json answer = ask(request);
  ASSERT_EQ(answer["choices"].size(), 6u);
  std::set<std::string> texts;
  for (size_t i = 0; i < 6; ++i) {
    const std::string text = answer["choices"][i]["text"];
    EXPECT_TRUE(text.starts_with(i < 3 ? "the table" : "Mia")) << text;
    texts.insert(text);
    EXPECT_EQ(answer["choices"][i]["seed"], 5);
  }
  EXPECT_EQ(texts.size(), 6u);
  Json first = request;
  first["n"] = 1;
  first["prompt"] = "Mia";
  EXPECT_EQ(ask(first)["choices"][0]["text"], answer["choices"][3]["text"])
      << "a choice is numbered within its prompt";
}

TEST_F(CompletionsRoute, AFreshSeedIsReturnedAndReproduces) {
  Json request = {{"prompt", "the cat"}, {"max_tokens", 20}, {"temperature", 1.5}};
  const Json first = ask(request)["choices"][0];
  EXPECT_NE(ask(request)["choices"][0]["seed"], first["seed"]);
  request["seed"] = first["seed"];
  EXPECT_EQ(ask(request)["choices"][0]["text"], first["text"]);
}

TEST_F(CompletionsRoute, EchoedLogprobsCoverPromptAndGeneration) {
  const Json answer = ask({{"prompt", {5, 6, 7, 8}},
                           {"max_tokens", 2},
                           {"echo", true},
                           {"logprobs", 2},
                           {"logit_bias", {{"2", -100}}}});
  const Json& logprobs = answer["choices"][0]["logprobs"];
  for (const auto* name : {"tokens", "token_logprobs", "top_logprobs", "text_offset"}) {
    EXPECT_EQ(logprobs[name].size(), 6u) << name;
  }
  EXPECT_TRUE(logprobs["token_logprobs"][0].is_null());
  EXPECT_TRUE(logprobs["top_logprobs"][0].is_null());
  for (size_t i = 1; i < 6; ++i) {
    EXPECT_TRUE(logprobs["token_logprobs"][i].is_number()) << i;
    EXPECT_GE(logprobs["top_logprobs"][i].size(), 2u);
  }
}

TEST_F(CompletionsRoute, TheStartOfADocumentIsCountedButNotShown) {
  const Json answer =
      ask({{"prompt", "the table"}, {"max_tokens", 0}, {"echo", true}, {"logprobs", 1}});
  const Json& choice = answer["choices"][0];
  EXPECT_EQ(choice["text"], "the table");
  EXPECT_EQ(choice["finish_reason"], "length");
  EXPECT_EQ(answer["usage"]["completion_tokens"], 0);
  EXPECT_EQ(choice["logprobs"]["tokens"].size() + 1, answer["usage"]["prompt_tokens"]);
  EXPECT_TRUE(choice["logprobs"]["token_logprobs"][0].is_number()) << "the start precedes it";
  std::string joined;
  for (const Json& token : choice["logprobs"]["tokens"]) joined += token.get<std::string>();
  EXPECT_EQ(joined, "the table");
}

TEST_F(CompletionsRoute, GreedyTokensHaveTheLargestLogprobExactly) {
  const Json answer =
      ask({{"prompt", "the"}, {"max_tokens", 20}, {"temperature", 0}, {"logprobs", 1}});
  const Json& logprobs = answer["choices"][0]["logprobs"];
  ASSERT_GT(logprobs["tokens"].size(), 0u);
  for (size_t i = 0; i < logprobs["tokens"].size(); ++i) {
    double largest = -1e9;
    for (const auto& [text, value] : logprobs["top_logprobs"][i].items()) {
      largest = std::max(largest, value.get<double>());
    }
    EXPECT_EQ(logprobs["token_logprobs"][i].get<double>(), largest) << i;
  }
}

TEST_F(CompletionsRoute, LogprobsStayFiniteAtTinyTemperature) {
  const HttpAnswer answer = post({{"prompt", "a"}, {"temperature", 1e-9}, {"logprobs", 20}});
  EXPECT_EQ(answer.status, 200);
  EXPECT_FALSE(contains(answer.body, "Infinity") || contains(answer.body, "[null"));
}

TEST_F(CompletionsRoute, SpecialTokenNamesInPromptsAreText) {
  const Json answer = ask({{"prompt", "a</s>b"}, {"max_tokens", 0}, {"echo", true}});
  EXPECT_EQ(answer["choices"][0]["text"], "a</s>b");
}

TEST_F(CompletionsRoute, TheEndIsAnEntryWithoutText) {
  const Json answer = ask({{"prompt", "a"}, {"logit_bias", {{"2", 100}}}, {"logprobs", 1}});
  const Json& choice = answer["choices"][0];
  EXPECT_EQ(choice["finish_reason"], "stop");
  EXPECT_EQ(choice["text"], "");
  EXPECT_EQ(choice["logprobs"]["tokens"], Json::array({""}));
  EXPECT_EQ(answer["usage"]["completion_tokens"], 1);
}

TEST_F(CompletionsRoute, GenerationEndsAtTheContext) {
  const Json answer = ask({{"model", "ids"}, {"prompt", {1, 2, 3}}, {"max_tokens", 100000}});
  EXPECT_EQ(answer["choices"][0]["finish_reason"], "length");
  EXPECT_EQ(answer["usage"]["completion_tokens"], 16 - 3 + 1) << "the last from a full window";
  Json full = Json::array();
  for (int i = 0; i < 16; ++i) full.push_back(i);
  const Json next = ask({{"model", "ids"}, {"prompt", full}, {"max_tokens", 1}});
  EXPECT_EQ(next["usage"]["completion_tokens"], 1) << "the token after a full window";
}

TEST_F(CompletionsRoute, UsageChunkOnlyWhenAskedFor) {
  const Json request = {{"prompt", "a"}, {"stream", true}, {"seed", 1}};
  for (const std::string& event : events_of(post(request).body)) {
    if (event == "[DONE]") continue;
    EXPECT_FALSE(Json::parse(event).contains("usage"));
    EXPECT_EQ(Json::parse(event)["choices"].size(), 1u);
  }
  Json asked = request;
  asked["stream_options"] = {{"include_usage", true}};
  const auto events = events_of(post(asked).body);
  ASSERT_GE(events.size(), 3u);
  const Json last = Json::parse(events[events.size() - 2]);
  EXPECT_EQ(last["choices"], Json::array());
  EXPECT_GT(last["usage"]["total_tokens"], 0);
  EXPECT_TRUE(Json::parse(events[0])["usage"].is_null());
}

TEST_F(CompletionsRoute, ErrorsComeBeforeAnyStreamByte) {
  Json prompt = Json::array();
  for (int i = 0; i < 65; ++i) prompt.push_back(5);
  for (const bool stream : {false, true}) {
    const HttpAnswer answer = post({{"prompt", prompt}, {"stream", stream}});
    EXPECT_EQ(answer.status, 400);
    EXPECT_EQ(answer.header("content-type"), "application/json");
    EXPECT_EQ(Json::parse(answer.body)["error"]["type"], "exceed_context_size_error");
  }
  EXPECT_EQ(post({{"prompt", {"fine", std::string(5000, 'x')}}}).status, 400)
      << "one bad prompt fails the call";
}

TEST_F(CompletionsRoute, ModelsAreChosenByNameAndPath) {
  EXPECT_EQ(ask({{"model", "sub/other"}, {"prompt", "a"}})["model"], "sub/other");
  EXPECT_EQ(server_->ask("/models/sub/other/v1/completions",
                         {{"prompt", "a"}, {"model", "gpt"}})["model"],
            "sub/other");
  const HttpAnswer unknown = post({{"model", "nope"}, {"prompt", "a"}});
  EXPECT_EQ(unknown.status, 404);
  EXPECT_EQ(Json::parse(unknown.body)["error"]["code"], "model_not_found");
  EXPECT_EQ(post({{"model", "broken"}, {"prompt", "a"}}).status, 404);
  EXPECT_EQ(post({{"model", 5}, {"prompt", "a"}}).status, 400);
}

TEST_F(CompletionsRoute, RecurrentGarbageNeverBreaksTheStream) {
  // A model of random weights at high temperature writes mostly invalid UTF-8.
  const Json request = {{"prompt", "x"}, {"temperature", 2}, {"max_tokens", 60},
                        {"n", 20},       {"logprobs", 5},    {"seed", 3}};
  EXPECT_EQ(streamed(request).dump(), ask(request)["choices"].dump());
}

TEST_F(CompletionsRoute, ClientsThatLeaveFreeTheirSequences) {
  for (const bool stream : {false, true}) {
    TestServer server({.access = {}, .registry = &testing::long_registry()});
    testing::HttpClient client(server.port());
    client.send(testing::http_request("POST", "/v1/completions",
                                      testing::long_completion(8, stream).dump()));
    EXPECT_TRUE(testing::soon([&] { return server.service().active() == 8; }));
    client.close();
    EXPECT_TRUE(testing::soon([&] { return server.service().active() == 0; })) << stream;
  }
}

TEST_F(CompletionsRoute, MoreThanIsAdmittedIs429WithRetryAfter) {
  const TestServer server({.access = {}, .admitted = 2, .registry = &testing::long_registry()});
  const HttpAnswer never = server.post("/v1/completions", R"({"prompt": "a", "n": 3})");
  EXPECT_EQ(never.status, 400);
  testing::HttpClient busy(server.port());
  busy.send(
      testing::http_request("POST", "/v1/completions", testing::long_completion(2, true).dump()));
  busy.read_until("data: ");
  const HttpAnswer refused = server.post("/v1/completions", R"({"prompt": "a"})");
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.header("retry-after"), "1");
}

TEST_F(CompletionsRoute, AHalfClosedClientGetsAnAnswerThatIsFinished) {
  // Nothing to draw: the run is finished when its only update is taken.
  testing::HttpClient client(server_->port());
  client.send(testing::http_request("POST", "/v1/completions",
                                    R"({"prompt": "a", "max_tokens": 0, "seed": 1})"));
  client.half_close();
  const HttpAnswer answer = client.read_answer();
  EXPECT_EQ(answer.status, 200);
  EXPECT_TRUE(contains(answer.body, "finish_reason")) << answer.body;
}

TEST_F(CompletionsRoute, StoppingEndsStreamsWithAFinalEvent) {
  TestServer server;
  testing::HttpClient client(server.port());
  client.send(testing::http_request(
      "POST", "/v1/completions",
      R"({"prompt": "a", "n": 128, "max_tokens": 63, "stream": true, "logit_bias": {"2": -100}})"));
  client.read_until("data: ");
  server.service().close();
  const std::string rest = client.read_to_end();
  EXPECT_TRUE(contains(rest, "[DONE]") || contains(rest, "unavailable_error"));
  EXPECT_EQ(server.post("/v1/completions", R"({"prompt": "a"})").status, 503);
}

}  // namespace
}  // namespace mesita::http
