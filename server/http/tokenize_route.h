#pragma once

#include "server/http/http_message.h"
#include "server/http/route_models.h"

namespace mesita::http {

/// POST /tokenize: {"prompt"} as vLLM or {"content"} as llama.cpp.
Response answer_tokenize(const RouteContext& context, const Request& request);

/// POST /detokenize: {"tokens"}; special ids are spelled by their names.
Response answer_detokenize(const RouteContext& context, const Request& request);

/// GET /tokenizer_info
Response answer_tokenizer_info(const RouteContext& context, const Request& request);

}  // namespace mesita::http
