#include "server/evaluation/progress_line.h"

#include <cmath>
#include <cstdint>
#include <utility>

namespace mesita::evaluation {
namespace {

constexpr const char* kWipe = "\r\033[K";

std::string time_text(double seconds) {
  const auto whole = static_cast<int64_t>(std::ceil(seconds));
  if (whole < 60) return std::to_string(whole) + " s";
  if (whole < 3600) {
    return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  }
  return std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
}

}  // namespace

ProgressLine::ProgressLine(std::ostream& out, std::string title, Clock clock)
    : out_(out),
      title_(std::move(title)),
      clock_(std::move(clock)),
      start_(clock_()),
      next_(start_) {}

ProgressLine::~ProgressLine() {
  out_ << kWipe << std::flush;
}

void ProgressLine::show(double share) {
  const auto now = clock_();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  out_ << kWipe << title_ << "  " << std::lround(share * 100) << " %";
  if (share > 0) {
    const double passed = std::chrono::duration<double>(now - start_).count();
    out_ << "  " << time_text(passed * (1 - share) / share) << " left";
  }
  out_ << std::flush;
}

}  // namespace mesita::evaluation
