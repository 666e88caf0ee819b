#pragma once

#include <cstdint>
#include <string>

#include "server/http/completion_json.h"
#include "server/http/model_registry.h"

namespace mesita::http {

/// A seed from the machine's entropy, small enough (53 bits) to pass through any JSON reader
/// unharmed.
int64_t fresh_seed();

/// Program version and checkpoint: answers with equal fingerprint, request and seed are equal.
std::string fingerprint(const ModelEntry& model);

/// The header of a completion by this model that begins now.
CompletionHeader completion_header(const ModelEntry& model, int64_t seed);

}  // namespace mesita::http
