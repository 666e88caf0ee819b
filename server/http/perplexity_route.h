#pragma once

#include "server/http/http_message.h"
#include "server/http/route_models.h"

namespace mesita::http {

/// POST /perplexity: sums and, on request, tokens of texts under one or several models, with named
/// convention and window. Several models get windows of the same size unless the request says
/// otherwise: the smallest context among them.
Response answer_perplexity(const RouteContext& context, const Request& request);

}  // namespace mesita::http
