#pragma once

#include <vector>

#include "server/http/engine_thread.h"
#include "server/http/fields.h"
#include "server/http/http_message.h"
#include "server/http/model_registry.h"
#include "server/http/unknown_fields.h"

namespace mesita::http {

/// What routes work with.
struct RouteContext {
  const ModelRegistry& registry;
  EngineThread& engine;
  UnknownFields& unknown_fields;
};

/// The model that a request means: that of its path, else its `model` field, else the default.
/// Throws ApiError 404 for one that is not there or not loaded.
const ModelEntry& model_of(const RouteContext& context, const Request& request, Fields& fields);

/// The models of a request that may name several: that of its path, else `models` (distinct, not
/// empty), else as model_of.
std::vector<const ModelEntry*> models_of(const RouteContext& context, const Request& request,
                                         Fields& fields);

/// Logs names of fields that nothing asked for, each name once.
void log_unknown(const RouteContext& context, const Request& request, const Fields& fields);

}  // namespace mesita::http
