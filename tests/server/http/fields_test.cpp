#include "server/http/fields.h"

#include <gtest/gtest.h>

#include "server/http/api_error.h"
#include "tests/support/message.h"

namespace mesita::http {
namespace {

using testing::contains;

Fields fields_of(const std::string& text) {
  return Fields(nlohmann::json::parse(text));
}

/// The field that is blamed when `read` is applied to the object.
template <typename Read>
std::string blamed(const std::string& text, Read read) {
  Fields fields = fields_of(text);
  try {
    read(fields);
  } catch (const ApiError& error) {
    EXPECT_EQ(error.status(), 400);
    return error.param();
  }
  return "(nothing)";
}

TEST(Fields, AbsentAndNullMeanDefault) {
  Fields fields = fields_of(R"({"a": null})");
  for (const auto* name : {"a", "b"}) {
    EXPECT_FALSE(fields.boolean(name));
    EXPECT_FALSE(fields.integer(name, 0, 1));
    EXPECT_FALSE(fields.number(name, 0, 1));
    EXPECT_FALSE(fields.text(name));
    EXPECT_FALSE(fields.texts(name));
    EXPECT_FALSE(fields.ids(name));
    EXPECT_FALSE(fields.id_lists(name));
    EXPECT_FALSE(fields.object(name));
    EXPECT_TRUE(fields.value(name).is_null());
  }
}

TEST(Fields, IntegersAreIntegersInRange) {
  Fields fields = fields_of(R"({"a": -3, "b": 9223372036854775807, "c": -0})");
  EXPECT_EQ(fields.integer("a", -3, 5), -3);
  EXPECT_EQ(fields.integer("b", 0, INT64_MAX), INT64_MAX);
  EXPECT_EQ(fields.integer("c", 0, 1), 0);
  const auto read = [](Fields& some) { some.integer("a", 0, 100); };
  for (const auto* value : {"1.5", "1.0", "1e1", "\"1\"", "true", "[1]", "{}", "-1", "101",
                            "9223372036854775808", "18446744073709551616", "1e30"}) {
    EXPECT_EQ(blamed(std::string(R"({"a": )") + value + "}", read), "a") << value;
  }
}

TEST(Fields, NumbersAreFiniteAndInRange) {
  Fields fields = fields_of(R"({"a": 1, "b": 0.25})");
  EXPECT_EQ(fields.number("a", 0, 2), 1.0);
  EXPECT_EQ(fields.number("b", 0, 2), 0.25);
  const auto read = [](Fields& some) { some.number("a", 0, 2); };
  for (const auto* value : {"\"1\"", "true", "[]", "-0.1", "2.1", "1e300"}) {
    EXPECT_EQ(blamed(std::string(R"({"a": )") + value + "}", read), "a") << value;
  }
}

TEST(Fields, TypesAreNotConverted) {
  EXPECT_EQ(blamed(R"({"a": 1})", [](Fields& some) { some.boolean("a"); }), "a");
  EXPECT_EQ(blamed(R"({"a": 1})", [](Fields& some) { some.text("a"); }), "a");
  EXPECT_EQ(blamed(R"({"a": "x"})", [](Fields& some) { some.texts("a"); }), "a");
  EXPECT_EQ(blamed(R"({"a": ["x", 1]})", [](Fields& some) { some.texts("a"); }), "a");
  EXPECT_EQ(blamed(R"({"a": [1, -1]})", [](Fields& some) { some.ids("a"); }), "a");
  EXPECT_EQ(blamed(R"({"a": [1, 1.5]})", [](Fields& some) { some.ids("a"); }), "a");
  EXPECT_EQ(blamed(R"({"a": [4294967296]})", [](Fields& some) { some.ids("a"); }), "a");
  EXPECT_EQ(blamed(R"({"a": [[1], 2]})", [](Fields& some) { some.id_lists("a"); }), "a");
  EXPECT_EQ(blamed(R"({"a": []})", [](Fields& some) { some.object("a"); }), "a");
}

TEST(Fields, MessagesSayWhatWasFoundButNotAllOfIt) {
  Fields fields = fields_of(R"({"a": ")" + std::string(1000, 'x') + R"(", "b": "five"})");
  const auto message = [&](const std::string& name) {
    return testing::message_of<ApiError>([&] { fields.integer(name, 0, 9); });
  };
  EXPECT_EQ(message("b"), "b must be an integer in [0, 9], found \"five\"");
  EXPECT_LT(message("a").size(), 100u);
}

TEST(Fields, UnknownNamesAreThoseNobodyAskedFor) {
  Fields fields = fields_of(R"({"a": 1, "b": 2, "c": {"d": 1}, "e": 0})");
  fields.integer("a", 0, 9);
  fields.object("c");
  fields.ignore("e");
  EXPECT_EQ(fields.unknown(), std::vector<std::string>{"b"});
}

}  // namespace
}  // namespace mesita::http
