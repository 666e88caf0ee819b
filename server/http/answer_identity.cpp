#include "server/http/answer_identity.h"

#include <chrono>

#include "server/http/fresh_id.h"

namespace mesita::http {

int64_t fresh_seed() {
  constexpr int kUnusedBits = 64 - 53;
  return static_cast<int64_t>(random_bits() >> kUnusedBits);
}

std::string fingerprint(const ModelEntry& model) {
  constexpr size_t kDigits = 12;
  return "mesita-" MESITA_VERSION "-" + model.model().hash.substr(0, kDigits);
}

CompletionHeader completion_header(const ModelEntry& model, int64_t seed) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return {.id = fresh_id("cmpl-"),
          .created = std::chrono::duration_cast<std::chrono::seconds>(now).count(),
          .model = model.id,
          .fingerprint = fingerprint(model),
          .seed = seed};
}

}  // namespace mesita::http
