#pragma once

#include "server/http/http_message.h"
#include "server/http/route_models.h"

namespace mesita::http {

/// POST /compare: a completion request and `models`; one event stream of completion chunks, each
/// with its `model`, then [DONE]. All models draw with the same seed.
Response answer_compare(const RouteContext& context, const Request& request);

}  // namespace mesita::http
