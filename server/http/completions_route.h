#pragma once

#include "server/http/http_message.h"
#include "server/http/route_models.h"

namespace mesita::http {

/// POST /v1/completions (OpenAI). A client that leaves gets status 499, which nobody reads.
Response answer_completions(const RouteContext& context, const Request& request);

}  // namespace mesita::http
