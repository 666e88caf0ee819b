#pragma once

#include <cstddef>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace mesita::http {

/// Remembers names of request fields that nobody knows, so that each is logged once.
class UnknownFields {
 public:
  /// Those of the names that were not given before. After kMost names nothing is new any more:
  /// clients decide about the names, so their number is bounded.
  std::vector<std::string> news(const std::vector<std::string>& names);

  static constexpr size_t kMost = 1000;

 private:
  std::mutex mutex_;
  std::set<std::string> seen_;
};

}  // namespace mesita::http
