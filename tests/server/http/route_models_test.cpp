#include "server/http/route_models.h"

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <sstream>

#include "server/http/api_error.h"
#include "tests/server/http/served_models.h"

namespace mesita::http {
namespace {

class RouteModelsTest : public ::testing::Test {
 protected:
  RouteModelsTest()
      : engine_(std::vector<std::shared_ptr<const model::LanguageModel>>{}),
        context_{testing::served_registry(), engine_, unknown_} {}

  std::string model(const std::string& path_model, const std::string& body) {
    Request request;
    request.model = path_model;
    Fields fields(nlohmann::json::parse(body));
    try {
      return model_of(context_, request, fields).id;
    } catch (const ApiError& error) {
      return std::to_string(error.status());
    }
  }
  std::string models(const std::string& body) {
    Fields fields(nlohmann::json::parse(body));
    std::string ids;
    try {
      for (const ModelEntry* entry : models_of(context_, {}, fields)) ids += entry->id + ";";
    } catch (const ApiError& error) {
      return std::to_string(error.status());
    }
    return ids;
  }

  EngineThread engine_;
  UnknownFields unknown_;
  RouteContext context_;
};

TEST_F(RouteModelsTest, PathThenFieldThenDefault) {
  EXPECT_EQ(model("", "{}"), "story");
  EXPECT_EQ(model("", R"({"model": null})"), "story");
  EXPECT_EQ(model("", R"({"model": "run"})"), "run");
  EXPECT_EQ(model("ids", R"({"model": "run"})"), "ids");
  EXPECT_EQ(model("", R"({"model": "x"})"), "404");
  EXPECT_EQ(model("", R"({"model": "broken"})"), "404");
  EXPECT_EQ(model("broken", "{}"), "404");
  EXPECT_EQ(model("", R"({"model": ["run"]})"), "400");
}

TEST_F(RouteModelsTest, LongNamesAreRepeatedInPart) {
  Fields fields(nlohmann::json{{"model", std::string(1'000'000, 'm')}});
  try {
    model_of(context_, {}, fields);
    FAIL();
  } catch (const ApiError& error) {
    EXPECT_LT(std::string(error.what()).size(), 200u);
  }
}

TEST_F(RouteModelsTest, SeveralModels) {
  EXPECT_EQ(models(R"({"models": ["run", "story"]})"), "run;story;");
  EXPECT_EQ(models(R"({"model": "run"})"), "run;");
  EXPECT_EQ(models("{}"), "story;");
  EXPECT_EQ(models(R"({"models": []})"), "400");
  EXPECT_EQ(models(R"({"models": ["run", "run"]})"), "400");
  EXPECT_EQ(models(R"({"models": ["run", "x"]})"), "404");
}

TEST_F(RouteModelsTest, FieldNamesCannotForgeLinesOfTheLog) {
  std::ostringstream log;
  const auto before = spdlog::default_logger();
  spdlog::set_default_logger(std::make_shared<spdlog::logger>(
      "test", std::make_shared<spdlog::sinks::ostream_sink_mt>(log)));
  Request request;
  request.path = "/here";
  const nlohmann::json body = {{"a\n[error] forged\x1b[2J\xE2\x80\xAE\"", 1}};
  log_unknown(context_, request, Fields(body));
  spdlog::set_default_logger(before);
  const std::string text = log.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
  EXPECT_NE(text.find(R"("a\n[error] forged\u001b[2J\u202e\"")"), std::string::npos) << text;
}

}  // namespace
}  // namespace mesita::http
