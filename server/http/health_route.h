#pragma once

#include <atomic>

#include "server/http/http_message.h"

namespace mesita::http {

/// GET /health: 200 once the models are loaded, 503 before; takes no lock and waits for nobody.
Response answer_health(const std::atomic<bool>& ready);

}  // namespace mesita::http
