#pragma once

#include "server/http/api_error.h"
#include "server/http/model_registry.h"

namespace mesita::http {

/// A model as GET /v1/models describes it; a failed one has `status` "failed" and its `reason`.
Json model_json(const ModelEntry& entry);

/// {"object": "list", "data": [...]}
Json model_list_json(const ModelRegistry& registry);

/// GET /tokenizer_info: names of special tokens, null where the model has none.
Json tokenizer_info_json(const ModelEntry& entry);

}  // namespace mesita::http
