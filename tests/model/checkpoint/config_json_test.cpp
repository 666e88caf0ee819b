#include "model/checkpoint/config_json.h"

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tests/support/message.h"
#include "tests/support/tiny_checkpoint.h"

namespace mesita::checkpoint {
namespace {

using mesita::testing::contains;
using mesita::testing::message_of;
using nlohmann::json;

CheckpointConfig example() {
  CheckpointConfig config = mesita::testing::TinyCheckpoint().config;
  config.seed = 18446744073709551615U;
  config.trained_on = "Geschichten, \"gro\xc3\x9f\"\n";
  return config;
}

void expect_equal(const CheckpointConfig& a, const CheckpointConfig& b) {
  EXPECT_EQ(a.model, b.model);
  EXPECT_EQ(a.document_start, b.document_start);
  EXPECT_EQ(a.end, b.end);
  EXPECT_EQ(a.trained, b.trained);
  EXPECT_EQ(a.seed, b.seed);
  EXPECT_EQ(a.recipe, b.recipe);
  EXPECT_EQ(a.storage, b.storage);
  EXPECT_EQ(a.trained_on, b.trained_on);
}

TEST(ConfigJson, RoundTrip) {
  CheckpointConfig config = example();
  expect_equal(parse_config(config_text(config)), config);
  config.document_start.reset();
  config.end.reset();
  config.trained.clear();
  config.storage = StorageType::bfloat16;
  config.model.position = model::PositionKind::rotary;
  config.model.rotary_base = 500000.25;
  config.model.norm_epsilon = 0.1;
  config.model.tied_unembedding = true;
  expect_equal(parse_config(config_text(config)), config);
}

TEST(ConfigJson, TextIsTheDocumentedOne) {
  EXPECT_EQ(config_text(mesita::testing::TinyCheckpoint().config), R"({
  "format_version": 1,
  "model": {
    "vocabulary": 5,
    "context": 4,
    "width": 4,
    "layers": 1,
    "heads": 2,
    "feed_forward": 6,
    "mixer": "softmax",
    "position": "learned",
    "norm_epsilon": 1e-05,
    "tied_unembedding": false
  },
  "document_start": 1,
  "end": 2,
  "trained": [
    "token_embedding",
    "position_embedding",
    "unembedding"
  ],
  "seed": 7,
  "recipe": 1,
  "storage": "float32",
  "trained_on": "numbers"
}
)");
}

TEST(ConfigJson, OrderOfRolesDoesNotMatter) {
  CheckpointConfig config = example();
  std::swap(config.trained.front(), config.trained.back());
  EXPECT_EQ(config_text(config), config_text(example()));
}

TEST(ConfigJson, ImpossibleConfigurationsAreTheCallersMistake) {
  const auto message = [](auto change) {
    CheckpointConfig config = example();
    change(config);
    return message_of<std::invalid_argument>([&] { config_text(config); });
  };
  EXPECT_TRUE(contains(message([](auto& c) { c.model.heads = 3; }), "heads"));
  EXPECT_TRUE(contains(message([](auto& c) { c.end = 5; }), "end"));
  EXPECT_TRUE(contains(message([](auto& c) { c.document_start = -1; }), "document_start"));
  EXPECT_TRUE(contains(message([](auto& c) { c.recipe = 2; }), "recipe"));
  EXPECT_TRUE(contains(message([](auto& c) { c.trained.push_back(c.trained[0]); }), "twice"));
  EXPECT_TRUE(contains(message([](auto& c) { c.trained_on = "\xff"; }), "UTF-8"));
}

// Changes a valid document in one place; the message must contain all parts.
void expect_refused(const std::function<void(json&)>& change,
                    const std::vector<std::string>& parts) {
  json document = json::parse(config_text(example()));
  change(document);
  const std::string text = document.dump();
  const std::string message = message_of<std::runtime_error>([&] { parse_config(text); });
  EXPECT_TRUE(message.starts_with("config.json")) << message;
  for (const std::string& part : parts) EXPECT_TRUE(contains(message, part)) << text << message;
}

TEST(ConfigJson, EveryKeyIsNeededAndOfOneType) {
  const json document = json::parse(config_text(example()));
  const std::vector<json> others = {nullptr, true, -1, 1.5, "x", json::array({1}), json::object()};
  const auto check = [&](const json::json_pointer& place) {
    for (const auto& item : document[place].items()) {
      const std::string key = item.key();
      expect_refused([&](json& d) { d[place].erase(key); }, {key});
      for (const json& other : others) {
        if (other.type() == item.value().type()) continue;
        if (other.is_null() && (key == "document_start" || key == "end")) continue;
        if (other.is_number() && item.value().is_number_float()) continue;
        const std::string named = key == "format_version" ? "format" : key;
        expect_refused([&](json& d) { d[place][key] = other; }, {named});
      }
    }
  };
  check(json::json_pointer(""));
  check(json::json_pointer("/model"));
}

TEST(ConfigJson, UnknownKeysAreRefusedWithTheNearestName) {
  expect_refused([](json& d) { d["stroage"] = "float32"; }, {"stroage", "\"storage\""});
  expect_refused([](json& d) { d["model"]["head"] = 1; }, {"\"head\"", "\"heads\""});
}

TEST(ConfigJson, ValuesOutOfRange) {
  const std::vector<json> numbers = {
      -1, 0, 2147483648U, 9223372036854775807, 18446744073709551615U, 1e30};
  for (const char* key : {"vocabulary", "context", "width", "layers", "heads", "feed_forward"}) {
    for (const json& number : numbers) {
      expect_refused([&](json& d) { d["model"][key] = number; }, {});
    }
  }
  for (const char* key : {"document_start", "end"}) {
    for (const json& number : {json(-1), json(5), json(4294967296), json(18446744073709551615U)}) {
      expect_refused([&](json& d) { d[key] = number; }, {key});
    }
  }
  expect_refused([](json& d) { d["model"]["norm_epsilon"] = 0; }, {"norm_epsilon"});
  expect_refused([](json& d) { d["model"]["mixer"] = "mesa9"; }, {"mixer", "softmax"});
  expect_refused([](json& d) { d["model"]["position"] = "x"; }, {"learned", "rotary"});
  expect_refused([](json& d) { d["model"]["rotary_base"] = 10000.0; }, {"rotary_base", "remove"});
  expect_refused([](json& d) { d["model"]["position"] = "rotary"; }, {"rotary_base", "missing"});
  expect_refused([](json& d) { d["trained"] = {"embeddings"}; }, {"embeddings", "token_embedding"});
  expect_refused([](json& d) { d["trained"] = {"norm", "norm"}; }, {"norm", "twice"});
  expect_refused([](json& d) { d["storage"] = "float16"; }, {"float16", "bfloat16"});
  expect_refused([](json& d) { d["recipe"] = 2; }, {"recipe"});
  expect_refused([](json& d) { d["seed"] = -1; }, {"seed"});
}

TEST(ConfigJson, NewerFormatsAreRefusedBeforeAnythingElse) {
  expect_refused(
      [](json& d) {
        d["format_version"] = 2;
        d["something_new"] = 1;
      },
      {"format version 2", "newer mesita"});
}

TEST(ConfigJson, NotJson) {
  for (const char* text : {"", "{", "[]", "null", "GGUF"}) {
    EXPECT_TRUE(
        message_of<std::runtime_error>([&] { parse_config(text); }).starts_with("config.json"));
  }
}

}  // namespace
}  // namespace mesita::checkpoint
