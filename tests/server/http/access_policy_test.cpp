#include "server/http/access_policy.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "server/http/api_error.h"

namespace mesita::http {
namespace {

RequestHead head_of(const std::string& method,
                    std::vector<std::pair<std::string, std::string>> headers) {
  RequestHead head;
  head.method = method;
  head.headers = std::move(headers);
  return head;
}

template <typename Check>
int status_of(Check check) {
  try {
    check();
  } catch (const ApiError& error) {
    return error.status();
  }
  return 0;
}

int origin_status(const AccessPolicy& policy, const std::string& method, const std::string& host,
                  const std::string& origin = "") {
  RequestHead head = head_of(method, {{"Host", host}});
  if (!origin.empty()) head.headers.emplace_back("Origin", origin);
  return status_of([&] { policy.check_origin(head); });
}

std::string value_of(const std::vector<std::pair<std::string, std::string>>& headers,
                     const std::string& name) {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return "";
}

TEST(AccessPolicy, KeysAreCheckedInBothHeaders) {
  const AccessPolicy policy({.host = "127.0.0.1", .api_keys = {"one", "two"}, .cors_origins = {}});
  const auto status = [&](const std::string& name, const std::string& value) {
    return status_of([&] { policy.check_key(head_of("POST", {{name, value}})); });
  };
  EXPECT_EQ(status("Authorization", "Bearer one"), 0);
  EXPECT_EQ(status("authorization", "bearer two"), 0);
  EXPECT_EQ(status("X-Api-Key", "two"), 0);
  for (const auto* wrong :
       {"Bearer", "Bearer ", "Bearer on", "Bearer onee", "Bearer One", "one", "Basic one"}) {
    EXPECT_EQ(status("Authorization", wrong), 401) << wrong;
  }
  EXPECT_EQ(status("Other", "one"), 401);
  EXPECT_NO_THROW(AccessPolicy({}).check_key(head_of("POST", {})));
}

TEST(AccessPolicy, LoopbackServersAnswerToLoopbackNamesOnly) {
  const AccessPolicy policy({});
  for (const auto* host : {"127.0.0.1:80", "localhost", "LOCALHOST:1", "[::1]:5", "127.1.2.3"}) {
    EXPECT_EQ(origin_status(policy, "GET", host), 0) << host;
  }
  for (const auto* host : {"evil.example", "127.0.0.1.evil.example", "localhost.evil", "0.0.0.0",
                           "192.168.0.1", "a b", "[::1"}) {
    EXPECT_EQ(origin_status(policy, "GET", host), 403) << host;
  }
  const AccessPolicy open({.host = "0.0.0.0", .api_keys = {}, .cors_origins = {}});
  EXPECT_EQ(origin_status(open, "GET", "any.example"), 0);
}

TEST(AccessPolicy, ExposedIsWhoIsReachableWithoutKey) {
  EXPECT_TRUE(is_exposed({.host = "0.0.0.0", .api_keys = {}, .cors_origins = {}}));
  EXPECT_FALSE(is_exposed({.host = "0.0.0.0", .api_keys = {"k"}, .cors_origins = {}}));
  EXPECT_FALSE(is_exposed({}));
}

TEST(AccessPolicy, ForeignPagesMayNotPost) {
  const AccessPolicy policy({});
  EXPECT_EQ(origin_status(policy, "POST", "localhost:1"), 0) << "no browser, no Origin";
  EXPECT_EQ(origin_status(policy, "POST", "localhost:1", "http://localhost:1"), 0);
  for (const auto* origin : {"http://evil.example", "http://localhost:2", "null", "http://", "x",
                             "file://localhost:1"}) {
    EXPECT_EQ(origin_status(policy, "POST", "localhost:1", origin), 403) << origin;
    EXPECT_EQ(origin_status(policy, "OPTIONS", "localhost:1", origin), 403) << origin;
  }
  EXPECT_EQ(origin_status(policy, "GET", "localhost:1", "http://evil.example"), 0);
}

TEST(AccessPolicy, AllowedOriginsAreExact) {
  const AccessPolicy policy(
      {.host = "127.0.0.1", .api_keys = {}, .cors_origins = {"https://a.example"}});
  EXPECT_EQ(origin_status(policy, "POST", "localhost", "https://a.example"), 0);
  EXPECT_EQ(origin_status(policy, "POST", "localhost", "http://a.example"), 403);
  EXPECT_EQ(origin_status(policy, "POST", "localhost", "https://a.example.evil"), 403);
  const auto headers = policy.cors_headers(head_of("POST", {{"Origin", "https://a.example"}}));
  EXPECT_EQ(value_of(headers, "Access-Control-Allow-Origin"), "https://a.example");
  EXPECT_EQ(value_of(headers, "Vary"), "Origin");
  const auto foreign = policy.cors_headers(head_of("GET", {{"Origin", "https://b.example"}}));
  EXPECT_EQ(value_of(foreign, "Access-Control-Allow-Origin"), "");
}

TEST(AccessPolicy, StarAllowsAllWithoutCredentials) {
  const AccessPolicy policy({.host = "127.0.0.1", .api_keys = {}, .cors_origins = {"*"}});
  EXPECT_EQ(origin_status(policy, "POST", "localhost", "http://evil.example"), 0);
  const auto headers = policy.cors_headers(head_of("POST", {{"Origin", "http://evil.example"}}));
  EXPECT_EQ(value_of(headers, "Access-Control-Allow-Origin"), "*");
  EXPECT_EQ(value_of(headers, "Access-Control-Allow-Credentials"), "");
}

TEST(AccessPolicy, PreflightListsCheckedNames) {
  const AccessPolicy policy({.host = "127.0.0.1", .api_keys = {"k"}, .cors_origins = {"*"}});
  const auto headers = policy.preflight_headers(
      head_of("OPTIONS", {{"Origin", "http://a.example"},
                          {"Access-Control-Request-Headers",
                           "authorization, x-stainless-os,X-Stainless-Lang, bad name, \"q\", "}}));
  const std::string names = value_of(headers, "Access-Control-Allow-Headers");
  EXPECT_EQ(names,
            "Authorization, Content-Type, X-Api-Key, authorization, x-stainless-os, "
            "X-Stainless-Lang");
  EXPECT_TRUE(policy.preflight_headers(head_of("OPTIONS", {})).empty());
}

TEST(AccessPolicy, OptionsAreChecked) {
  EXPECT_THROW(AccessPolicy({.host = "x", .api_keys = {""}, .cors_origins = {}}),
               std::invalid_argument);
  for (const auto* origin : {"a.example", "ftp://a", "https://", "https://a/b", ""}) {
    EXPECT_THROW(AccessPolicy({.host = "x", .api_keys = {}, .cors_origins = {origin}}),
                 std::invalid_argument)
        << origin;
  }
}

TEST(AccessPolicy, ComparesWhole) {
  EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
  EXPECT_FALSE(equal_in_constant_time("abc", "abd"));
  EXPECT_FALSE(equal_in_constant_time("abc", "abcabc"));
  EXPECT_FALSE(equal_in_constant_time("abcabc", "abc"));
  EXPECT_FALSE(equal_in_constant_time("abc", ""));
}

}  // namespace
}  // namespace mesita::http
