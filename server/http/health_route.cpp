#include "server/http/health_route.h"

namespace mesita::http {

Response answer_health(const std::atomic<bool>& ready) {
  if (!ready) throw unavailable("the models are loading");
  return json_response({{"status", "ok"}});
}

}  // namespace mesita::http
