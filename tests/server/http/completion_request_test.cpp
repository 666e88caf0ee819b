#include "server/http/completion_request.h"

#include <gtest/gtest.h>

#include "server/http/api_error.h"

namespace mesita::http {
namespace {

CompletionRequest parse(const std::string& text, Streaming streaming = Streaming::as_asked) {
  Fields fields(nlohmann::json::parse(text));
  return parse_completion(fields, streaming);
}

std::string blamed(const std::string& text) {
  try {
    parse(text);
  } catch (const ApiError& error) {
    EXPECT_EQ(error.status(), 400);
    return error.param();
  }
  return "(nothing)";
}

TEST(CompletionRequest, DefaultsAreOpenAis) {
  const CompletionRequest request = parse("{}");
  ASSERT_EQ(request.prompts.size(), 1u);
  EXPECT_EQ(std::get<std::string>(request.prompts[0]), "");
  EXPECT_EQ(request.choices, 1);
  EXPECT_EQ(request.max_tokens, 16);
  EXPECT_EQ(request.sampling.temperature, 1.0);
  EXPECT_EQ(request.sampling.top_p, 1.0);
  EXPECT_FALSE(request.logprobs || request.seed || request.echo || request.stream);
}

TEST(CompletionRequest, ARouteThatAlwaysStreamsRefusesNotTo) {
  EXPECT_TRUE(parse("{}", Streaming::always).stream);
  EXPECT_TRUE(parse(R"({"stream": true})", Streaming::always).stream);
  EXPECT_THROW(parse(R"({"stream": false})", Streaming::always), ApiError);
}

TEST(CompletionRequest, NullMeansDefault) {
  const CompletionRequest request = parse(
      R"({"prompt": null, "n": null, "max_tokens": null, "logprobs": null, "stop": null,
          "temperature": null, "logit_bias": null, "seed": null, "suffix": null, "best_of": null,
          "stream_options": null, "stream": null, "echo": null, "user": null})");
  EXPECT_EQ(request.max_tokens, 16);
  EXPECT_TRUE(request.stop.empty());
}

TEST(CompletionRequest, ReadsAllPromptForms) {
  EXPECT_EQ(parse(R"({"prompt": "a"})").prompts.size(), 1u);
  EXPECT_EQ(parse(R"({"prompt": ["a", "b"]})").prompts.size(), 2u);
  const auto ids = parse(R"({"prompt": [1, 2, 3]})").prompts;
  ASSERT_EQ(ids.size(), 1u);
  EXPECT_EQ(std::get<1>(ids[0]), (std::vector<int32_t>{1, 2, 3}));
  const auto lists = parse(R"({"prompt": [[1], [2, 3]]})").prompts;
  ASSERT_EQ(lists.size(), 2u);
  EXPECT_EQ(std::get<1>(lists[1]), (std::vector<int32_t>{2, 3}));
}

TEST(CompletionRequest, RefusesOtherPrompts) {
  for (const auto* prompt : {"[]", "{}", "1", "true", "[[]]", "[1, \"a\"]", "[\"a\", 1]",
                             "[[1], []]", "[1.5]", "[-1]", "[null]", "[[\"a\"]]", "[4294967296]"}) {
    EXPECT_EQ(blamed(std::string(R"({"prompt": )") + prompt + "}"), "prompt") << prompt;
  }
}

TEST(CompletionRequest, RefusesExtremesOfEveryField) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> bad = {
      {"n", {"0", "-1", "129", "1.5", "\"1\"", "4294967296"}},
      {"best_of", {"2", "0", "\"x\""}},
      {"max_tokens", {"-1", "1.5", "9223372036854775808", "\"5\"", "true"}},
      {"logprobs", {"\"5\"", "-1", "21", "true", "1.5"}},
      {"echo", {"1", "\"true\""}},
      {"stream", {"1", "\"yes\""}},
      {"temperature", {"-1", "2.5", "\"1\"", "true", "[]"}},
      {"top_p", {"0", "2", "-0.1", "\"1\""}},
      {"top_k", {"-2", "1.5", "\"1\"", "1e9"}},
      {"min_p", {"-0.1", "1.1"}},
      {"presence_penalty", {"-2.1", "2.1", "\"0\""}},
      {"frequency_penalty", {"-2.1", "2.1"}},
      {"repetition_penalty", {"0", "-1", "\"1\""}},
      {"seed", {"9223372036854775808", "-9223372036854775809", "1.5", "\"1\""}},
      {"stop", {"1", "[1]", "[\"a\", null]", "\"\"", "[\"\"]", "{}"}},
      {"logit_bias",
       {"[]", "{\"a\": 1}", "{\"1\": 101}", "{\"1\": \"x\"}", "{\"-1\": 1}", "{\"1.5\": 1}",
        "{\"\": 1}", "{\"99999999999\": 1}", "{\"1\": null}"}},
      {"suffix", {"\"x\"", "\"\"", "1"}},
      {"stream_options", {"{\"include_usage\": true}", "1"}},
      {"parse_special", {"1"}},
  };
  for (const auto& [field, values] : bad) {
    for (const std::string& value : values) {
      EXPECT_EQ(blamed("{\"" + field + "\": " + value + "}"), field) << value;
    }
  }
}

TEST(CompletionRequest, BoundsStopStrings) {
  const auto stops = [](size_t count, size_t bytes) {
    return nlohmann::json{{"stop", std::vector<std::string>(count, std::string(bytes, 'x'))}}
        .dump();
  };
  EXPECT_EQ(parse(stops(kMaxStopStrings, kMaxStopBytes)).stop.size(), kMaxStopStrings);
  EXPECT_EQ(blamed(stops(1000, 1)), "stop");
  EXPECT_EQ(blamed(stops(1, kMaxStopBytes + 1)), "stop");
  EXPECT_TRUE(parse(R"({"stop": []})").stop.empty());
  EXPECT_EQ(parse(R"({"stop": "x"})").stop, std::vector<std::string>{"x"});
}

TEST(CompletionRequest, RepeatsLongTextInPart) {
  for (const std::string& key : {std::string(100'000, 'k'), std::string(100'000, '0')}) {
    try {
      parse("{\"logit_bias\": {\"" + key + "\": \"x\"}}");
      FAIL();
    } catch (const ApiError& error) {
      EXPECT_LT(std::string(error.what()).size(), 200u);
    }
  }
}

TEST(CompletionRequest, ReadsSampling) {
  const CompletionRequest request = parse(
      R"({"temperature": 0, "top_k": -1, "top_p": 0.5, "min_p": 0.1, "presence_penalty": 1,
          "frequency_penalty": -1, "repetition_penalty": 1.5, "logit_bias": {"7": -100},
          "seed": -5, "n": 3, "best_of": 3})");
  EXPECT_EQ(request.sampling.temperature, 0.0);
  EXPECT_EQ(request.sampling.top_k, -1);
  EXPECT_EQ(request.sampling.top_p, 0.5);
  EXPECT_EQ(request.sampling.min_p, 0.1);
  EXPECT_EQ(request.sampling.presence_penalty, 1.0);
  EXPECT_EQ(request.sampling.frequency_penalty, -1.0);
  EXPECT_EQ(request.sampling.repetition_penalty, 1.5);
  EXPECT_EQ(request.sampling.logit_bias.at(7), -100.0);
  EXPECT_EQ(request.seed, -5);
}

TEST(CompletionRequest, StreamOptionsNeedAStream) {
  const auto* options = R"({"stream": true, "stream_options": {"include_usage": true}})";
  EXPECT_TRUE(parse(options).include_usage);
  EXPECT_TRUE(
      parse(R"({"stream_options": {"include_usage": true}})", Streaming::always).include_usage);
  EXPECT_TRUE(parse("{}", Streaming::always).stream);
}

TEST(CompletionRequest, UserIsKnownAndIgnored) {
  Fields fields(nlohmann::json::parse(R"({"user": 5, "frobnicate": 1})"));
  parse_completion(fields, Streaming::as_asked);
  EXPECT_EQ(fields.unknown(), std::vector<std::string>{"frobnicate"});
}

}  // namespace
}  // namespace mesita::http
