#include "server/http/event_stream.h"

namespace mesita::http {

std::string event(const Json& value) {
  return "data: " + to_text(value) + "\n\n";
}

}  // namespace mesita::http
