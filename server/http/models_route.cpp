#include "server/http/models_route.h"

#include "server/http/model_listing.h"

namespace mesita::http {

Response answer_models(const RouteContext& context) {
  return json_response(model_list_json(context.registry));
}

Response answer_model(const RouteContext& context, const Request& request) {
  const std::string id = request.path.substr(std::string_view("/v1/models/").size());
  const ModelEntry* entry = context.registry.find(id);
  if (entry == nullptr) {
    throw model_not_found("there is no model " + in_quotes(id) + ": GET /v1/models lists them");
  }
  return json_response(model_json(*entry));
}

}  // namespace mesita::http
