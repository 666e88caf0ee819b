#include "server/http/service.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/server/http/served_models.h"
#include "tests/support/message.h"

namespace mesita::http {
namespace {

using testing::contains;
using testing::HttpAnswer;
using testing::HttpClient;
using testing::TestServer;

const std::string kOrigin = "Origin: https://a.example\r\n";

HttpAnswer options(const TestServer& server, const std::string& path, const std::string& more) {
  HttpClient client(server.port());
  client.send(testing::http_request("OPTIONS", path, "", more));
  return client.read_answer();
}

TEST(Service, UntilItIsOpenOnlyHealthAnswers) {
  Service service(AccessPolicy(AccessOptions{}), {{"/", "text/html", "hi"}});
  HttpServer server(ServerOptions{}, service);
  server.start();
  for (const auto* path : {"/health", "/v1/models", "/", "/nope"}) {
    const HttpAnswer answer = testing::http_get(server.port(), path);
    EXPECT_EQ(answer.status, 503) << path;
    EXPECT_EQ(answer.header("retry-after"), "1");
  }
  service.open(testing::served_registry());
  EXPECT_EQ(testing::http_get(server.port(), "/health").status, 200);
  EXPECT_EQ(testing::http_get(server.port(), "/").body, "hi");
  service.close();
  EXPECT_EQ(testing::http_get(server.port(), "/v1/models").status, 503);
}

TEST(Service, UnknownPathsAndMethods) {
  const TestServer server;
  EXPECT_EQ(server.get("/nope").status, 404);
  EXPECT_EQ(server.get("/models/nope/health").status, 404);
  EXPECT_EQ(server.get("/models/story/health").status, 200);
  EXPECT_EQ(server.get("/models/sub/other").body, server.get("/v1/models/sub/other").body);
  const HttpAnswer wrong = server.get("/v1/completions");
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(wrong.header("allow"), "POST, OPTIONS");
  EXPECT_TRUE(Json::parse(wrong.body).contains("error"));
  EXPECT_EQ(server.post("/health", "{}").status, 405);
}

TEST(Service, BodiesMustBeJson) {
  const TestServer server;
  const auto post = [&](const std::string& type, const std::string& body) {
    HttpClient client(server.port());
    client.send("POST /tokenize HTTP/1.1\r\nHost: localhost\r\n" + type +
                "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    return client.read_answer().status;
  };
  const std::string body = R"({"prompt": "a"})";
  EXPECT_EQ(post("Content-Type: application/json; charset=utf-8\r\n", body), 200);
  EXPECT_EQ(post("Content-Type: text/plain\r\n", body), 415);
  EXPECT_EQ(post("Content-Type: application/x-www-form-urlencoded\r\n", body), 415);
  EXPECT_EQ(post("Content-Type: multipart/form-data; boundary=x\r\n", body), 415);
  EXPECT_EQ(post("", body), 415);
  const std::string json = "Content-Type: application/json\r\n";
  for (const std::string bad :
       {"", "null", "[]", "\"x\"", "{", "\xEF\xBB\xBF{}", "{\"prompt\": \"\xC4\xE3\"}",
        "{\"prompt\": \"a\", \"prompt\": \"b\"}", "{\"prompt\": \"\\ud800\"}"}) {
    EXPECT_EQ(post(json, bad), 400) << bad;
  }
  EXPECT_EQ(post(json, "{\"prompt\":" + std::string(100'000, '[')), 400);
}

TEST(Service, KeysProtectTheApiButNotHealthPageAndPreflight) {
  const TestServer server(
      {.access = {.host = "127.0.0.1", .api_keys = {"secret"}, .cors_origins = {}}});
  EXPECT_EQ(server.get("/health").status, 200);
  EXPECT_EQ(server.get("/").status, 200);
  EXPECT_EQ(options(server, "/v1/completions", "").status, 204);
  for (const auto* path : {"/v1/models", "/tokenizer_info", "/models/story/v1/models"}) {
    const HttpAnswer answer = server.get(path);
    EXPECT_EQ(answer.status, 401) << path;
    EXPECT_EQ(answer.header("www-authenticate"), "Bearer");
    EXPECT_EQ(Json::parse(answer.body)["error"]["type"], "authentication_error");
    EXPECT_EQ(server.get(path, "Authorization: Bearer secret\r\n").status, 200);
    EXPECT_EQ(server.get(path, "X-Api-Key: secret\r\n").status, 200);
    EXPECT_EQ(server.get(path, "X-Api-Key: secreT\r\n").status, 401);
  }
  EXPECT_EQ(server.post("/v1/completions", R"({"prompt": "a"})").status, 401);
}

TEST(Service, WithoutTheKeyNobodyLearnsWhichModelsThereAre) {
  const TestServer server(
      {.access = {.host = "127.0.0.1", .api_keys = {"secret"}, .cors_origins = {}}});
  const std::string key = "X-Api-Key: secret\r\n";
  for (const std::string path : {"", "/", "/health", "/nope", "/v1/models", "/v1/completions"}) {
    for (const std::string id : {"story", "nobody"}) {
      EXPECT_EQ(server.get("/models/" + id + path).status, 401) << id << path;
    }
  }
  EXPECT_EQ(server.get("/models/story/health", key).status, 200);
  EXPECT_EQ(server.get("/models/nobody/health", key).status, 404);
}

TEST(Service, PreflightNamesWhatOpenAisClientSends) {
  const TestServer server(
      {.access = {
           .host = "127.0.0.1", .api_keys = {"secret"}, .cors_origins = {"https://a.example"}}});
  const HttpAnswer answer =
      options(server, "/v1/completions",
              kOrigin +
                  "Access-Control-Request-Method: POST\r\n"
                  "Access-Control-Request-Headers: authorization,x-stainless-lang\r\n");
  EXPECT_EQ(answer.status, 204);
  EXPECT_EQ(answer.header("access-control-allow-origin"), "https://a.example");
  EXPECT_TRUE(contains(answer.header("access-control-allow-methods"), "POST"));
  const std::string names = answer.header("access-control-allow-headers");
  EXPECT_TRUE(contains(names, "Authorization") && contains(names, "x-stainless-lang")) << names;
  EXPECT_EQ(options(server, "/v1/completions", "Origin: https://evil.example\r\n").status, 403);
}

TEST(Service, CorsHeadersAreOnEveryAnswer) {
  const TestServer server(
      {.access = {
           .host = "127.0.0.1", .api_keys = {"secret"}, .cors_origins = {"https://a.example"}}});
  const std::string key = "Authorization: Bearer secret\r\n";
  const std::vector<HttpAnswer> answers = {
      server.get("/v1/models", kOrigin + key),
      server.get("/v1/models", kOrigin),
      server.get("/nope", kOrigin + key),
      server.post("/v1/completions", "{", kOrigin + key),
      server.post("/v1/completions", R"({"prompt": "a"})", kOrigin + key),
      server.post("/v1/completions", R"({"prompt": "a", "stream": true})", kOrigin + key),
      server.post("/v1/completions", std::string(9'000'000, ' '), kOrigin + key),
  };
  const std::vector<int> statuses = {200, 401, 404, 400, 200, 200, 413};
  for (size_t i = 0; i < answers.size(); ++i) {
    EXPECT_EQ(answers[i].status, statuses[i]) << i;
    EXPECT_EQ(answers[i].header("access-control-allow-origin"), "https://a.example") << i;
    EXPECT_NE(answers[i].header("x-request-id"), "") << i;
  }
}

TEST(Service, OtherPagesAndNamesAreKeptOut) {
  const TestServer server;
  const std::string body = R"({"prompt": "a"})";
  EXPECT_EQ(server.post("/v1/completions", body, "Origin: https://evil.example\r\n").status, 403);
  EXPECT_EQ(server.post("/v1/completions", body, "Origin: null\r\n").status, 403);
  HttpClient client(server.port());
  client.send("GET /v1/models HTTP/1.1\r\nHost: evil.example\r\n\r\n");
  EXPECT_EQ(client.read_answer().status, 403);
}

TEST(Service, HealthAnswersWhileTheEngineIsBusy) {
  const TestServer server;
  HttpClient busy(server.port());
  const Json body = {
      {"prompt", "a"}, {"n", 128}, {"max_tokens", 63}, {"logit_bias", {{"2", -100}}}};
  busy.send(testing::http_request("POST", "/v1/completions", body.dump()));
  for (int i = 0; i < 10; ++i) {
    const auto asked = std::chrono::steady_clock::now();
    EXPECT_EQ(server.get("/health").status, 200);
    EXPECT_LT(std::chrono::steady_clock::now() - asked, std::chrono::milliseconds(500));
  }
}

TEST(Service, HeadAnswersLikeGet) {
  const TestServer server;
  HttpClient client(server.port());
  client.send(testing::http_request("HEAD", "/v1/models"));
  const HttpAnswer answer = client.read_answer(HttpClient::Body::none);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.header("content-length"), std::to_string(server.get("/v1/models").body.size()));
}

TEST(Service, ThePageHasAStrictPolicy) {
  const TestServer server;
  const HttpAnswer page = server.get("/");
  EXPECT_EQ(page.header("content-type"), "text/html; charset=utf-8");
  EXPECT_NE(page.header("content-security-policy"), "");
  EXPECT_EQ(page.header("x-content-type-options"), "nosniff");
}

}  // namespace
}  // namespace mesita::http
