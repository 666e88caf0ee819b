#include "model/parameters.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <stdexcept>

#include "tests/support/message.h"

namespace mesita::model {
namespace {

using mesita::testing::contains;
using mesita::testing::message_of;
using Roles = std::vector<ParameterRole>;

std::map<std::string, ParameterSpec> specs_by_name(const ModelConfig& config) {
  std::map<std::string, ParameterSpec> specs;
  for (const ParameterSpec& spec : parameter_specs(config)) specs[spec.name] = spec;
  return specs;
}

int64_t total(const ModelConfig& config) {
  int64_t sum = 0;
  for (const ParameterSpec& spec : parameter_specs(config)) sum += spec.size();
  return sum;
}

TEST(TrainedPresets, AreTheAblationsOfThePaper) {
  using enum ParameterRole;
  EXPECT_EQ(trained_roles("input_embeddings"), (std::vector{token_embedding, position_embedding}));
  EXPECT_EQ(trained_roles("token_and_unembedding"), (std::vector{token_embedding, unembedding}));
  EXPECT_EQ(trained_roles("attention"), (std::vector{query_key, value, attention_output}));
  EXPECT_EQ(trained_roles("interior,embeddings"), trained_roles("all"));
  EXPECT_EQ(trained_roles("attention,norm,feed_forward"), trained_roles("interior"));
  for (const TrainedPreset& preset : trained_presets()) {
    EXPECT_EQ(trained_roles(preset.name), preset.roles) << preset.name;
    EXPECT_NE(known_trained_names().find(preset.name), std::string::npos);
  }
}

TEST(Roles, PresetsAndListsInEnumOrder) {
  EXPECT_EQ(trained_roles("all").size(), 8U);
  EXPECT_EQ(trained_roles("embeddings"),
            (Roles{ParameterRole::token_embedding, ParameterRole::position_embedding,
                   ParameterRole::unembedding}));
  EXPECT_EQ(trained_roles("unembedding,token_embedding"),
            (Roles{ParameterRole::token_embedding, ParameterRole::unembedding}));
  EXPECT_EQ(trained_roles("norm, embeddings ,norm"),
            (Roles{ParameterRole::token_embedding, ParameterRole::position_embedding,
                   ParameterRole::norm, ParameterRole::unembedding}));
  EXPECT_EQ(trained_roles("all,norm"), trained_roles("all"));
}

TEST(Roles, WrongListsSayWhatIsKnown) {
  for (const char* names : {"", ",", "norm,", ",norm", "Norm", "everything", "norm;value",
                            "token embedding", "norm,,value"}) {
    const std::string message =
        message_of<std::invalid_argument>([names] { trained_roles(names); });
    for (const char* part : {"all", "embeddings", "token_embedding", "attention_output", "norm"}) {
      EXPECT_TRUE(contains(message, part)) << names << ": " << message;
    }
  }
}

TEST(Roles, NamesAndParserAgree) {
  for (const ParameterRole role : trained_roles("all")) {
    EXPECT_EQ(parameter_role(name_of(role)), role);
  }
  EXPECT_THROW(parameter_role("all"), std::invalid_argument);
  EXPECT_TRUE(
      contains(message_of<std::invalid_argument>([] { parameter_role("x"); }), "query_key"));
  EXPECT_THROW(name_of(static_cast<ParameterRole>(99)), std::invalid_argument);
}

TEST(Roles, InteriorIsAllButEmbeddings) {
  EXPECT_FALSE(is_interior(ParameterRole::token_embedding));
  EXPECT_FALSE(is_interior(ParameterRole::position_embedding));
  EXPECT_FALSE(is_interior(ParameterRole::unembedding));
  int interior = 0;
  for (const ParameterRole role : trained_roles("all")) interior += is_interior(role) ? 1 : 0;
  EXPECT_EQ(interior, 5);
}

// Counts from random-transformers.md section 1: 12 d^2 + 13 d in a block, 2 d in the final norm.
TEST(Parameters, CountsAreThePapers) {
  ModelConfig config;
  config.width = 1024;
  config.feed_forward = 4096;
  config.layers = 2;
  config.vocabulary = 199;
  config.context = 5;
  const int64_t interior = 25192448 + 2048;
  EXPECT_EQ(total(config), interior + 2 * 203776 + 5120);
  config.position = PositionKind::none;
  EXPECT_EQ(total(config), interior + 2 * 203776);
  config.position = PositionKind::rotary;
  EXPECT_EQ(total(config), interior + 2 * 203776);
  config.tied_unembedding = true;
  EXPECT_EQ(total(config), interior + 203776);
}

TEST(Parameters, TrainedOnesAreThoseOfTheRoles) {
  const ModelConfig config;
  const Roles embeddings = trained_roles("embeddings");
  for (const ParameterSpec& spec : parameter_specs(config)) {
    EXPECT_EQ(is_trained(spec, embeddings), !is_interior(spec.role)) << spec.name;
    EXPECT_FALSE(is_trained(spec, {}));
  }
  EXPECT_EQ(count_parameters(config), total(config));
  EXPECT_EQ(count_trained(config, {}), 0);
  EXPECT_EQ(count_trained(config, embeddings),
            (2 * config.vocabulary + config.context) * config.width);
}

TEST(Parameters, OrderIsTheDocumentedOne) {
  ModelConfig config;
  config.layers = 2;
  const std::vector<ParameterSpec> specs = parameter_specs(config);
  ASSERT_EQ(specs.size(), 2U + 2 * 14 + 2 + 1);
  EXPECT_EQ(specs[0].name, "token_embedding.weight");
  EXPECT_EQ(specs[1].name, "position_embedding.weight");
  const std::vector<std::string> block = {
      "mixer_norm.weight",        "mixer_norm.bias",        "mixer.query_key.weight",
      "mixer.query_key.bias",     "mixer.value.weight",     "mixer.value.bias",
      "mixer.output.weight",      "mixer.output.bias",      "feed_forward_norm.weight",
      "feed_forward_norm.bias",   "feed_forward.up.weight", "feed_forward.up.bias",
      "feed_forward.down.weight", "feed_forward.down.bias"};
  for (size_t i = 0; i < 2; ++i) {
    for (size_t j = 0; j < block.size(); ++j) {
      EXPECT_EQ(specs[2 + 14 * i + j].name, "blocks." + std::to_string(i) + "." + block[j]);
    }
  }
  EXPECT_EQ(specs[30].name, "final_norm.weight");
  EXPECT_EQ(specs[31].name, "final_norm.bias");
  EXPECT_EQ(specs[32].name, "unembedding.weight");
}

TEST(Parameters, ShapesRolesAndInitialValues) {
  ModelConfig config;
  config.vocabulary = 11;
  config.context = 7;
  config.width = 6;
  config.heads = 2;
  config.feed_forward = 10;
  config.layers = 4;
  auto specs = specs_by_name(config);
  using Shape = std::vector<int64_t>;
  EXPECT_EQ(specs["token_embedding.weight"].shape, (Shape{11, 6}));
  EXPECT_EQ(specs["position_embedding.weight"].shape, (Shape{7, 6}));
  EXPECT_EQ(specs["blocks.3.mixer.query_key.weight"].shape, (Shape{12, 6}));
  EXPECT_EQ(specs["blocks.3.mixer.query_key.bias"].shape, (Shape{12}));
  EXPECT_EQ(specs["blocks.0.mixer.value.weight"].shape, (Shape{6, 6}));
  EXPECT_EQ(specs["blocks.0.feed_forward.up.weight"].shape, (Shape{10, 6}));
  EXPECT_EQ(specs["blocks.0.feed_forward.up.bias"].shape, (Shape{10}));
  EXPECT_EQ(specs["blocks.0.feed_forward.down.weight"].shape, (Shape{6, 10}));
  EXPECT_EQ(specs["unembedding.weight"].shape, (Shape{11, 6}));
  EXPECT_EQ(specs["unembedding.weight"].role, ParameterRole::unembedding);
  EXPECT_EQ(specs["blocks.1.mixer.query_key.bias"].role, ParameterRole::query_key);
  EXPECT_EQ(specs["blocks.1.mixer.output.weight"].role, ParameterRole::attention_output);
  EXPECT_EQ(specs["blocks.1.feed_forward_norm.bias"].role, ParameterRole::norm);

  // Only the two residual projections are scaled; 4 layers: 0.02 / sqrt(8).
  const double residual = 0.02 / std::sqrt(8.0);
  for (const auto& [name, spec] : specs) {
    const bool norm = spec.role == ParameterRole::norm;
    const bool weight = name.ends_with(".weight");
    if (!weight || norm) {
      EXPECT_EQ(spec.initial, norm && weight ? InitialValue::ones : InitialValue::zeros) << name;
      continue;
    }
    const bool scaled = name.ends_with("mixer.output.weight") || name.ends_with("down.weight");
    EXPECT_EQ(spec.initial, InitialValue::normal) << name;
    EXPECT_DOUBLE_EQ(spec.standard_deviation, scaled ? residual : 0.02) << name;
  }
}

TEST(Parameters, ImpossibleConfigIsRefused) {
  ModelConfig config;
  config.layers = -1;
  EXPECT_THROW(parameter_specs(config), std::invalid_argument);
}

}  // namespace
}  // namespace mesita::model
