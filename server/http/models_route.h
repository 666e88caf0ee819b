#pragma once

#include "server/http/http_message.h"
#include "server/http/route_models.h"

namespace mesita::http {

/// GET /v1/models
Response answer_models(const RouteContext& context);

/// GET /v1/models/{id}: also a model that failed to load. 404 for others.
Response answer_model(const RouteContext& context, const Request& request);

}  // namespace mesita::http
