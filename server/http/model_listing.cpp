#include "server/http/model_listing.h"

#include <string>

#include "model/config.h"

namespace mesita::http {

namespace {

Json special_name(const ModelEntry& entry, const std::optional<int32_t>& id) {
  if (!id) return nullptr;
  const auto name = entry.model().tokenizer->special_name(*id);
  return name ? Json(*name) : Json();
}

}  // namespace

Json model_json(const ModelEntry& entry) {
  Json json = {
      {"id", entry.id}, {"object", "model"}, {"created", entry.created}, {"owned_by", "mesita"}};
  if (!entry.loaded()) {
    json["status"] = "failed";
    json["reason"] = entry.reason;
    return json;
  }
  const evaluation::ModelHandle& model = entry.model();
  json["max_model_len"] = model.config.model.context;
  json["architecture"] = std::string(name_of(model.config.model.mixer)) + " transformer";
  json["tokenizer"] = {{"kind", model.tokenizer->kind()}, {"hash", model.tokenizer->hash()}};
  json["parameters"] = model.parameters;
  json["trained_parameters"] = model.trained_parameters;
  json["core"] = model.core.empty() ? Json() : Json(model.core);
  json["status"] = "loaded";
  return json;
}

Json model_list_json(const ModelRegistry& registry) {
  Json data = Json::array();
  for (const ModelEntry& entry : registry.entries()) data.push_back(model_json(entry));
  return {{"object", "list"}, {"data", std::move(data)}};
}

Json tokenizer_info_json(const ModelEntry& entry) {
  const checkpoint::CheckpointConfig& config = entry.model().config;
  return {{"eos_token", special_name(entry, config.end)},
          {"bos_token", special_name(entry, config.document_start)},
          {"pad_token", nullptr},
          {"chat_template", nullptr}};
}

}  // namespace mesita::http
