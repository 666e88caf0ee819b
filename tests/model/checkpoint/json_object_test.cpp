#include "model/checkpoint/json_object.h"

#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tests/support/message.h"

namespace mesita::checkpoint {
namespace {

using mesita::testing::contains;
using mesita::testing::message_of;
using nlohmann::json;

TEST(JsonObject, TypedAccess) {
  const json value = {{"i", -3},        {"u", 18446744073709551615U},
                      {"n", nullptr},   {"f", 1.5},
                      {"b", false},     {"t", "text"},
                      {"o", {{"x", 1}}}};
  const JsonObject object(value, "f.json");
  EXPECT_EQ(object.integer("i"), -3);
  EXPECT_EQ(object.unsigned_integer("u"), 18446744073709551615U);
  EXPECT_EQ(object.integer_or_null("n"), std::nullopt);
  EXPECT_EQ(object.integer_or_null("i"), -3);
  EXPECT_EQ(object.number("f"), 1.5);
  EXPECT_EQ(object.number("i"), -3.0);
  EXPECT_FALSE(object.boolean("b"));
  EXPECT_EQ(object.text("t"), "text");
  EXPECT_EQ(object.object("o").integer("x"), 1);
  EXPECT_TRUE(object.has("i"));
  EXPECT_FALSE(object.has("j"));
}

TEST(JsonObject, WrongTypesAreNamed) {
  const std::vector<json> values = {
      nullptr, true, -1, 18446744073709551615U, 1.5, "1", json::array({1}), json::object()};
  const auto check = [&](auto read, std::vector<bool> accepted) {
    for (size_t i = 0; i < values.size(); ++i) {
      const json value = {{"key", values[i]}};
      const JsonObject object(value, "f.json");
      const std::string message = message_of<std::runtime_error>([&] { read(object); });
      EXPECT_EQ(message == "(nothing was thrown)", accepted[i]) << values[i] << ": " << message;
      if (!accepted[i]) {
        EXPECT_TRUE(contains(message, "f.json") && contains(message, "key")) << message;
      }
    }
  };
  //                                                  null   true   -1     2^64-1 1.5    "1"    [1]
  //                                                  {}
  check([](auto& o) { o.integer("key"); }, {false, false, true, false, false, false, false, false});
  check([](auto& o) { o.unsigned_integer("key"); },
        {false, false, false, true, false, false, false, false});
  check([](auto& o) { o.integer_or_null("key"); },
        {true, false, true, false, false, false, false, false});
  check([](auto& o) { o.number("key"); }, {false, false, true, true, true, false, false, false});
  check([](auto& o) { o.boolean("key"); }, {false, true, false, false, false, false, false, false});
  check([](auto& o) { o.text("key"); }, {false, false, false, false, false, true, false, false});
  check([](auto& o) { o.object("key"); }, {false, false, false, false, false, false, false, true});
}

TEST(JsonObject, MissingKeysAreNamed) {
  const json value = json::object();
  const JsonObject object(value, "f.json");
  EXPECT_TRUE(contains(message_of<std::runtime_error>([&] { object.integer("width"); }), "width"));
}

TEST(JsonObject, UnknownKeysComeWithTheNearestKnown) {
  constexpr std::array<std::string_view, 4> kKnown = {"width", "height", "tied_unembedding", "end"};
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"Width", "width"},   {"with", "width"},
      {"hieght", "height"}, {"unembedding_tied", "tied_unembedding"},
      {"", "end"},          {"ends", "end"}};
  for (const auto& [key, nearest] : cases) {
    const json value = {{"width", 1}, {key, 2}};
    const JsonObject object(value, "f.json");
    const std::string message = message_of<std::runtime_error>([&] { object.allow_only(kKnown); });
    EXPECT_TRUE(message.ends_with("\"" + nearest + "\"")) << message;
    EXPECT_TRUE(contains(message, "\"" + key + "\"")) << message;
  }
  const json huge = {{std::string(1000000, 'x'), 2}};
  EXPECT_LT(
      message_of<std::runtime_error>([&] { JsonObject(huge, "f").allow_only(kKnown); }).size(),
      200U);
  const json fine = {{"width", 1}};
  EXPECT_NO_THROW(JsonObject(fine, "f").allow_only(kKnown));
}

TEST(JsonObject, OnlyObjects) {
  for (const json& value : {json(1), json::array(), json("x"), json()}) {
    EXPECT_THROW(JsonObject(value, "f"), std::runtime_error);
  }
}

TEST(JsonObject, FormatVersions) {
  const auto message = [](const json& version) {
    const json value = {{"format_version", version}};
    return message_of<std::runtime_error>([&] { JsonObject(value, "f").require_format(2); });
  };
  EXPECT_EQ(message(1), "(nothing was thrown)");
  EXPECT_EQ(message(2), "(nothing was thrown)");
  EXPECT_TRUE(contains(message(3), "use a newer mesita"));
  EXPECT_TRUE(contains(message(0), "never existed"));
  EXPECT_TRUE(contains(message(-1), "never existed"));
  EXPECT_TRUE(contains(message("1"), "integer"));
  EXPECT_TRUE(contains(message(1.0), "integer"));
}

}  // namespace
}  // namespace mesita::checkpoint
