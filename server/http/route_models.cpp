#include "server/http/route_models.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "server/http/api_error.h"

namespace mesita::http {

namespace {

const ModelEntry& loaded_model(const ModelRegistry& registry, const std::string& id) {
  const ModelEntry* model = registry.find(id);
  if (model == nullptr) {
    throw model_not_found("there is no model " + in_quotes(id) + ": GET /v1/models lists them");
  }
  if (!model->loaded()) {
    throw model_not_found("the model " + in_quotes(id) + " could not be loaded: " + model->reason);
  }
  return *model;
}

}  // namespace

const ModelEntry& model_of(const RouteContext& context, const Request& request, Fields& fields) {
  const auto named = fields.text("model");
  if (!request.model.empty()) return loaded_model(context.registry, request.model);
  if (named) return loaded_model(context.registry, *named);
  return context.registry.default_model();
}

std::vector<const ModelEntry*> models_of(const RouteContext& context, const Request& request,
                                         Fields& fields) {
  const auto ids = fields.texts("models");
  if (!request.model.empty() || !ids) return {&model_of(context, request, fields)};
  fields.ignore("model");
  if (ids->empty()) throw invalid_request("models must not be empty", "models");
  std::vector<const ModelEntry*> models;
  for (const std::string& id : *ids) {
    const ModelEntry* model = &loaded_model(context.registry, id);
    if (std::find(models.begin(), models.end(), model) != models.end()) {
      throw invalid_request("the model " + in_quotes(id) + " is named twice", "models");
    }
    models.push_back(model);
  }
  return models;
}

void log_unknown(const RouteContext& context, const Request& request, const Fields& fields) {
  for (const std::string& name : context.unknown_fields.news(fields.unknown())) {
    // Clients write these names: escaped, they cannot look like further lines of the log.
    const std::string quoted = Json(name).dump(-1, ' ', true, Json::error_handler_t::replace);
    spdlog::warn("field {} of {} is unknown here and ignored", quoted, request.path);
  }
}

}  // namespace mesita::http
