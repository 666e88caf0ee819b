#include "training/run_config.h"

#include <gtest/gtest.h>

#include <functional>

namespace mesita::training {
namespace {

std::string message_of(std::string_view json, const std::vector<FieldOverride>& overrides = {}) {
  try {
    resolve_run_config(json, overrides);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "(accepted)";
}

void expect_refused(std::string_view json, const std::vector<FieldOverride>& overrides,
                    const std::vector<std::string>& parts) {
  const std::string message = message_of(json, overrides);
  for (const std::string& part : parts)
    EXPECT_NE(message.find(part), std::string::npos) << message << "\nlacks: " << part;
}

TEST(RunConfig, DefaultsTrainTheGrammar) {
  for (const char* json : {"", "  \n", "{}"}) {
    const RunConfig config = resolve_run_config(json, {});
    EXPECT_EQ(config.data.kind, DataKind::grammar);
    EXPECT_EQ(config.model.feed_forward, 4 * config.model.width);
    EXPECT_EQ(config.trained_roles(), model::trained_roles("all"));
  }
}

TEST(RunConfig, ReadsNestedFieldsAndOverridesThem) {
  const RunConfig config = resolve_run_config(
      R"({"model": {"width": 128, "position": "rotary"}, "optimizer": {"lr": 0.5}, "seed": 7,
          "trained": ["token_embedding", "unembedding"], "samples": {"prompts": ["a", "b"]}})",
      {{"model.width", "64"}, {"min-lr", "0.25"}, {"steps", "1e3"}, {"precision", "bf16"}});
  EXPECT_EQ(config.model.width, 64);
  EXPECT_EQ(config.model.position, model::PositionKind::rotary);
  EXPECT_DOUBLE_EQ(config.optimizer.lr, 0.5);
  EXPECT_DOUBLE_EQ(config.optimizer.min_lr, 0.25);
  EXPECT_EQ(config.stop.steps, 1000);
  EXPECT_EQ(config.seed, 7);
  EXPECT_EQ(config.precision, Precision::bf16);
  EXPECT_EQ(config.trained, "token_embedding,unembedding");
  EXPECT_EQ(config.samples.prompts, (std::vector<std::string>{"a", "b"}));
}

TEST(RunConfig, TheLastOverrideWins) {
  EXPECT_EQ(resolve_run_config("", {{"seed", "1"}, {"seed", "2"}}).seed, 2);
}

TEST(RunConfig, ListsOnTheCommandLine) {
  EXPECT_EQ(resolve_run_config("", {{"prompts", "Once upon"}}).samples.prompts,
            (std::vector<std::string>{"Once upon"}));
  EXPECT_EQ(resolve_run_config("", {{"prompts", R"(["a", "[b"])"}}).samples.prompts,
            (std::vector<std::string>{"a", "[b"}));
  EXPECT_EQ(resolve_run_config("", {{"prompts", "[not json"}}).samples.prompts,
            (std::vector<std::string>{"[not json"}));
}

TEST(RunConfig, WordsThatLookLikeOtherTypesStayText) {
  EXPECT_EQ(resolve_run_config("", {{"data.description", "12"}}).data.description, "12");
}

TEST(RunConfig, WrittenJsonReadsBackToTheSame) {
  const RunConfig config =
      resolve_run_config("", {{"width", "32"}, {"lr", "0.1"}, {"storage", "bf16"}, {"seed", "9"}});
  const std::string json = to_json(config);
  EXPECT_EQ(to_json(resolve_run_config(json, {})), json);
  EXPECT_NE(json.find("\"width\": 32"), std::string::npos);
}

TEST(RunConfig, RefusesUnknownKeysWithTheNearest) {
  expect_refused(R"({"modle": {}})", {}, {"unknown key 'modle'", "nearest is 'model'"});
  expect_refused(R"({"model": {"widht": 3}})", {}, {"'model.widht'", "'model.width'"});
  expect_refused("", {{"widht", "3"}}, {"--widht", "--width"});
  expect_refused("", {{"optimizer.learn", "3"}}, {"--optimizer.learn", "nearest"});
}

TEST(RunConfig, RefusesAmbiguousShortNames) {
  expect_refused("", {{"interval", "3"}}, {"--evaluation.interval", "--samples.interval"});
}

TEST(RunConfig, RefusesKeysGivenTwice) {
  expect_refused(R"({"seed": 1, "seed": 2})", {}, {"'seed'", "twice"});
  expect_refused(R"({"model": {"width": 1, "width": 2}})", {}, {"'width'", "twice"});
  EXPECT_EQ(message_of(R"({"evaluation": {"interval": 5}, "samples": {"interval": 5}})"),
            "(accepted)");
}

TEST(RunConfig, RefusesWhatIsNoObject) {
  expect_refused("{", {}, {"not JSON"});
  expect_refused("[1]", {}, {"object"});
  expect_refused("\xff\xfe", {}, {"not JSON"});
  expect_refused(R"({"model": 3})", {}, {"model must be an object"});
  expect_refused(R"({"seed": 1e999})", {}, {"not JSON"});
}

TEST(RunConfig, RefusesWrongTypes) {
  expect_refused(R"({"seed": "1"})", {}, {"seed", "\"1\"", "whole number"});
  expect_refused(R"({"seed": 1.5})", {}, {"seed", "1.5", "whole number"});
  expect_refused(R"({"seed": null})", {}, {"seed", "null"});
  expect_refused(R"({"seed": {"a": 1}})", {}, {"seed", "whole number"});
  expect_refused(R"({"model": {"tied_unembedding": 1}})", {},
                 {"tied_unembedding", "true or false"});
  expect_refused(R"({"samples": {"prompts": [1]}})", {}, {"prompts", "list of texts"});
  expect_refused(R"({"trained": [1]})", {}, {"trained", "text"});
  expect_refused("", {{"lr", "fast"}}, {"optimizer.lr", "'fast'", "a number"});
  expect_refused("", {{"lr", "nan"}}, {"optimizer.lr", "'nan'"});
  expect_refused("", {{"tied_unembedding", "yes"}}, {"'yes'", "true or false"});
}

TEST(RunConfig, RefusesValuesOutOfRange) {
  expect_refused("", {{"width", "0"}}, {"model.width", "'0'", "from 1"});
  expect_refused("", {{"width", "-3"}}, {"model.width", "'-3'"});
  expect_refused("", {{"width", "9999999999999999999999"}}, {"model.width"});
  expect_refused("", {{"beta1", "1"}}, {"optimizer.beta1"});
  expect_refused("", {{"accumulation", "0"}}, {"batch.accumulation"});
  expect_refused("", {{"precision", "fp8"}}, {"precision", "'fp8'", "auto, float32, bf16"});
  for (const char* device : {"tpu", "", "cuda:", "cuda:x", "cuda:1234", "cpu:0"})
    expect_refused("", {{"device", device}}, {"device", std::string("'") + device + "'", "cuda"});
  for (const char* device : {"auto", "cpu", "cuda", "cuda:12"})
    EXPECT_EQ(resolve_run_config("", {{"device", device}}).device, device);
  expect_refused("", {{"trained", "everything"}}, {"everything"});
}

TEST(RunConfig, RefusesContradictions) {
  expect_refused("", {{"heads", "3"}}, {"heads"});
  expect_refused("", {{"min_lr", "1"}, {"lr", "0.1"}}, {"min_lr"});
  expect_refused("", {{"batch.context", "81"}}, {"batch.context", "80"});
  expect_refused("", {{"steps", "0"}}, {"stop.steps", "stop.minutes"});
  expect_refused("", {{"kind", "text"}}, {"data.train"});
  expect_refused("", {{"train", "file.txt"}}, {"--data.kind text"});
}

TEST(RunConfig, SeedsAreAListOrASingleOne) {
  const auto seeds = [](const std::string& text) {
    return resolve_run_config("", {{"seeds", text}, {"seed", "9"}}).all_seeds();
  };
  EXPECT_EQ(seeds(""), std::vector<int64_t>{9});
  EXPECT_EQ(seeds("7"), std::vector<int64_t>{7});
  EXPECT_EQ(seeds("1-3"), (std::vector<int64_t>{1, 2, 3}));
  EXPECT_EQ(seeds("5,1-2,0"), (std::vector<int64_t>{5, 1, 2, 0}));
  EXPECT_EQ(seeds("1-1000").size(), 1000u);
  for (const char* wrong : {",", "1,", "1-", "-1", "3-1", "1,1", "1-3,2", "a", "1 2", "1;2", "1.5",
                            "1-1001", "0-9000000000000000", "99999999999999999999"})
    EXPECT_THROW(seeds(wrong), std::invalid_argument) << wrong;
}

TEST(RunConfig, DescribesEveryFieldWithItsDefault) {
  const std::string page = describe_fields();
  const std::string json = to_json(RunConfig{});
  EXPECT_NE(page.find("--optimizer.weight_decay  (0.1; 0 to 100)"), std::string::npos) << page;
  EXPECT_NE(page.find("auto|float32|bf16"), std::string::npos);
  const auto count = [](const std::string& text, const std::string& part) {
    size_t found = 0;
    for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
    return found;
  };
  // One line per leaf of the JSON: leaves are the lines that open no object.
  EXPECT_EQ(count(page, "\n      "), count(json, "\": ") - count(json, "\": {"));
}

TEST(RunConfig, ChecksTheNamesOfWhatDecays) {
  EXPECT_EQ(resolve_run_config("", {{"decayed", "interior"}}).optimizer.decayed, "interior");
  EXPECT_THROW(resolve_run_config("", {{"decayed", "everything"}}), std::invalid_argument);
}

}  // namespace
}  // namespace mesita::training
