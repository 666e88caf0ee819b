#include "server/http/unknown_fields.h"

namespace mesita::http {

std::vector<std::string> UnknownFields::news(const std::vector<std::string>& names) {
  constexpr size_t kLongest = 64;
  const std::lock_guard lock(mutex_);
  std::vector<std::string> result;
  for (const std::string& name : names) {
    if (name.size() > kLongest || seen_.size() >= kMost) continue;
    if (seen_.insert(name).second) result.push_back(name);
  }
  return result;
}

}  // namespace mesita::http
