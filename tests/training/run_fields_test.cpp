#include "training/run_fields.h"

#include <gtest/gtest.h>

#include <set>

namespace mesita::training {
namespace {

// Checks what every field must have.
class Checker final : public FieldVisitor {
 public:
  std::set<std::string> names;
  void integer(std::string_view name, int64_t& value, Range range, std::string_view what) override {
    in_range(name, static_cast<double>(value), range);
    note(name, what);
  }
  void number(std::string_view name, double& value, Range range, std::string_view what) override {
    in_range(name, value, range);
    note(name, what);
  }
  void truth(std::string_view name, bool&, std::string_view what) override { note(name, what); }
  void text(std::string_view name, std::string&, std::string_view what) override {
    note(name, what);
  }
  void list(std::string_view name, std::vector<std::string>&, std::string_view what) override {
    note(name, what);
  }
  void choice(std::string_view name, size_t& index, std::span<const std::string_view> choices,
              std::string_view what) override {
    EXPECT_LT(index, choices.size()) << name;
    note(name, what);
  }

 private:
  static void in_range(std::string_view name, double value, Range range) {
    EXPECT_GE(value, range.least) << name;
    EXPECT_LE(value, range.most) << name;
  }
  void note(std::string_view name, std::string_view what) {
    EXPECT_FALSE(what.empty()) << name;
    EXPECT_TRUE(names.emplace(name).second) << name << " stands there twice";
  }
};

TEST(RunFields, NamesAreUniqueAndDefaultsAreAllowed) {
  RunConfig config;
  Checker checker;
  visit_fields(config, checker);
  EXPECT_GT(checker.names.size(), 40u);
}

TEST(RunFields, ChoicesFollowTheEnums) {
  RunConfig config;
  config.model.position = model::PositionKind::none;
  config.precision = Precision::bf16;
  config.checkpoint.form = CheckpointForm::full;
  const std::string json = to_json(config);
  EXPECT_NE(json.find("\"position\": \"none\""), std::string::npos);
  EXPECT_NE(json.find("\"precision\": \"bf16\""), std::string::npos);
  EXPECT_NE(json.find("\"form\": \"full\""), std::string::npos);
  for (auto kind : {model::PositionKind::learned, model::PositionKind::rotary}) {
    config.model.position = kind;
    EXPECT_NE(to_json(config).find(std::string(model::name_of(kind))), std::string::npos);
  }
}

}  // namespace
}  // namespace mesita::training
