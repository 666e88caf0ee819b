#include "model/checkpoint/config_json.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "model/checkpoint/json_object.h"
#include "model/checkpoint/manifest.h"
#include "model/checkpoint/strict_json.h"
#include "model/initialization.h"

namespace mesita::checkpoint {

namespace {

constexpr int64_t kConfigVersion = 1;
constexpr std::array<std::string_view, 9> kConfigKeys = {
    "format_version", "model",  "document_start", "end",       "trained",
    "seed",           "recipe", "storage",        "trained_on"};
constexpr std::array<std::string_view, 11> kModelKeys = {
    "vocabulary", "context",  "width",       "layers",       "heads",           "feed_forward",
    "mixer",      "position", "rotary_base", "norm_epsilon", "tied_unembedding"};

std::string_view name_of(StorageType storage) {
  return storage == StorageType::float32 ? "float32" : "bfloat16";
}

StorageType storage_named(const std::string& name) {
  if (name == name_of(StorageType::float32)) return StorageType::float32;
  if (name == name_of(StorageType::bfloat16)) return StorageType::bfloat16;
  throw std::invalid_argument("storage \"" + name + "\" is unknown: use one of float32, bfloat16");
}

void require_id(std::string_view field, const std::optional<int32_t>& id, int64_t vocabulary) {
  if (id && (*id < 0 || *id >= vocabulary)) {
    throw std::invalid_argument(std::string(field) + " is " + std::to_string(*id) +
                                ": it must be an id of the vocabulary, 0 to " +
                                std::to_string(vocabulary - 1));
  }
}

nlohmann::ordered_json model_json(const model::ModelConfig& model) {
  nlohmann::ordered_json json;
  json["vocabulary"] = model.vocabulary;
  json["context"] = model.context;
  json["width"] = model.width;
  json["layers"] = model.layers;
  json["heads"] = model.heads;
  json["feed_forward"] = model.feed_forward;
  json["mixer"] = model::name_of(model.mixer);
  json["position"] = model::name_of(model.position);
  if (model.position == model::PositionKind::rotary) json["rotary_base"] = model.rotary_base;
  json["norm_epsilon"] = model.norm_epsilon;
  json["tied_unembedding"] = model.tied_unembedding;
  return json;
}

model::ModelConfig model_config(const JsonObject& object) {
  object.allow_only(kModelKeys);
  model::ModelConfig model;
  model.vocabulary = object.integer("vocabulary");
  model.context = object.integer("context");
  model.width = object.integer("width");
  model.layers = object.integer("layers");
  model.heads = object.integer("heads");
  model.feed_forward = object.integer("feed_forward");
  model.mixer = model::mixer_kind(object.text("mixer"));
  model.position = model::position_kind(object.text("position"));
  if (model.position == model::PositionKind::rotary) {
    model.rotary_base = object.number("rotary_base");
  } else if (object.has("rotary_base")) {
    throw std::invalid_argument("rotary_base is for rotary positions, and position is " +
                                object.text("position") + ": remove it");
  }
  model.norm_epsilon = object.number("norm_epsilon");
  model.tied_unembedding = object.boolean("tied_unembedding");
  return model;
}

std::vector<model::ParameterRole> roles(const nlohmann::json& list) {
  if (!list.is_array()) throw std::invalid_argument("trained must be a list of roles");
  std::vector<model::ParameterRole> roles;
  for (const nlohmann::json& name : list) {
    if (!name.is_string()) throw std::invalid_argument("trained must be a list of strings");
    roles.push_back(model::parameter_role(name.get<std::string>()));
  }
  return roles;
}

std::optional<int32_t> id(const JsonObject& object, std::string_view key) {
  const std::optional<int64_t> value = object.integer_or_null(key);
  if (!value) return std::nullopt;
  // Before narrowing: a large id must not become a small one.
  if (*value < 0 || *value > std::numeric_limits<int32_t>::max()) {
    throw std::invalid_argument(std::string(key) + " is " + std::to_string(*value) +
                                ": it must be an id of the vocabulary");
  }
  return static_cast<int32_t>(*value);
}

CheckpointConfig config_of(const nlohmann::json& json) {
  const JsonObject object(json, kConfigFile);
  object.require_format(kConfigVersion);
  object.allow_only(kConfigKeys);
  CheckpointConfig config;
  config.model = model_config(object.object("model"));
  config.document_start = id(object, "document_start");
  config.end = id(object, "end");
  config.trained = roles(object.at("trained"));
  config.seed = object.unsigned_integer("seed");
  config.recipe = object.integer("recipe");
  config.storage = storage_named(object.text("storage"));
  config.trained_on = object.text("trained_on");
  validate(config);
  return config;
}

}  // namespace

void validate(const CheckpointConfig& config) {
  model::validate(config.model);
  require_id("document_start", config.document_start, config.model.vocabulary);
  require_id("end", config.end, config.model.vocabulary);
  if (config.recipe != model::kInitializationRecipe) {
    throw std::invalid_argument("recipe is " + std::to_string(config.recipe) +
                                ", and this program knows initialization recipe " +
                                std::to_string(model::kInitializationRecipe) +
                                " alone: use a mesita that knows it");
  }
  std::set<model::ParameterRole> seen;
  for (const model::ParameterRole role : config.trained) {
    if (!seen.insert(role).second) {
      throw std::invalid_argument("trained lists " + std::string(model::name_of(role)) +
                                  " twice: remove one");
    }
  }
  try {
    nlohmann::json(config.trained_on).dump();
  } catch (const nlohmann::json::exception&) {
    throw std::invalid_argument("trained_on is not valid UTF-8: write it as UTF-8");
  }
}

std::string config_text(const CheckpointConfig& config) {
  validate(config);
  std::vector<model::ParameterRole> trained = config.trained;
  std::sort(trained.begin(), trained.end());
  nlohmann::ordered_json json;
  json["format_version"] = kConfigVersion;
  json["model"] = model_json(config.model);
  const auto id_or_null = [](const std::optional<int32_t>& id) {
    return id ? nlohmann::ordered_json(*id) : nlohmann::ordered_json();
  };
  json["document_start"] = id_or_null(config.document_start);
  json["end"] = id_or_null(config.end);
  json["trained"] = nlohmann::ordered_json::array();
  for (const model::ParameterRole role : trained) json["trained"].push_back(model::name_of(role));
  json["seed"] = config.seed;
  json["recipe"] = config.recipe;
  json["storage"] = name_of(config.storage);
  json["trained_on"] = config.trained_on;
  return json.dump(2) + "\n";
}

CheckpointConfig parse_config(std::string_view text) {
  const nlohmann::json json = parse_strict_json(text, kConfigFile);
  try {
    return config_of(json);
  } catch (const std::invalid_argument& error) {
    throw std::runtime_error(std::string(kConfigFile) + ": " + error.what());
  }
}

}  // namespace mesita::checkpoint
