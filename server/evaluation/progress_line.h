#pragma once

#include <chrono>
#include <functional>
#include <ostream>
#include <string>

namespace mesita::evaluation {

/// One line on a terminal that says how far a piece of work is and how long the rest will take. It
/// is drawn over itself, at most ten times a second, and wiped at the end of the object's life.
class ProgressLine {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;

  /// `out` must outlive this.
  ProgressLine(std::ostream& out, std::string title, Clock clock = std::chrono::steady_clock::now);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// share: how much is done, 0 .. 1.
  void show(double share);

 private:
  std::ostream& out_;
  std::string title_;
  Clock clock_;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace mesita::evaluation
