#include "server/evaluation/stop_filter.h"

#include <algorithm>
#include <utility>

namespace mesita::evaluation {

StopFilter::StopFilter(std::vector<std::string> stops) : stops_(std::move(stops)) {
  std::erase_if(stops_, [](const std::string& stop) { return stop.empty(); });
}

std::string StopFilter::push(std::string_view text) {
  if (stopped_) return {};
  pending_ += text;
  return release(Ending::open);
}

std::string StopFilter::finish() {
  return release(Ending::final);
}

std::string StopFilter::release(Ending ending) {
  size_t certain = 0;
  for (; certain < pending_.size() && !stopped_; ++certain) {
    const std::string_view rest = std::string_view(pending_).substr(certain);
    const auto complete = [rest](const std::string& stop) { return rest.starts_with(stop); };
    const auto begun = [rest](const std::string& stop) { return stop.starts_with(rest); };
    stopped_ = std::any_of(stops_.begin(), stops_.end(), complete);
    if (stopped_) break;
    if (ending == Ending::open && std::any_of(stops_.begin(), stops_.end(), begun)) break;
  }
  std::string released = pending_.substr(0, certain);
  pending_.erase(0, certain);
  return released;
}

}  // namespace mesita::evaluation
