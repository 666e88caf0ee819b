#include "training/run_member.h"

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <utility>

namespace mesita::training {

void RunMember::count(const TrainStep::Result& result) {
  unlogged_.push_back(result);
  tokens += result.scored;
}

RunMember::Interval RunMember::flush(int64_t steps, ProgressReporter& reporter) {
  const std::vector<TrainStep::Result> results = std::exchange(unlogged_, {});
  const int64_t first = steps - static_cast<int64_t>(results.size());
  Interval interval;
  for (size_t i = 0; i < results.size(); ++i) {
    const double loss = results[i].loss.item<double>();
    const double gradient = results[i].grad_norm.item<double>();
    interval.all_scored += results[i].scored;
    if (!std::isfinite(loss) || !std::isfinite(gradient)) {
      report_skipped(first + static_cast<int64_t>(i) + 1, reporter);
      continue;
    }
    skipped = 0;
    interval.grad_norm = gradient;
    interval.nats += loss * static_cast<double>(results[i].scored);
    interval.scored += results[i].scored;
  }
  return interval;
}

void RunMember::report_skipped(int64_t step, ProgressReporter& reporter) {
  const std::string reason = "the loss or its gradient is not finite";
  log->write_skipped(step, reason);
  reporter.message(prefix + "step " + std::to_string(step) + " skipped: " + reason);
  if (++skipped <= config_.stop.skipped_steps) return;
  throw std::runtime_error(
      prefix + "step " + std::to_string(step) + ": " + reason + ", " + std::to_string(skipped) +
      " times in a row; the checkpoints in " + folder.last().parent_path().string() +
      " are those before it. Lower optimizer.lr, lengthen the warm-up, or use --precision float32");
}

bool RunMember::enter(const EvaluationMetrics& metrics, bool first, ProgressReporter& reporter) {
  last = metrics;
  log->write(last);
  reporter.message(prefix + to_text(last));
  if (!first && last.loss >= best.loss) return false;
  best = last;
  return true;
}

std::string to_text(const EvaluationMetrics& metrics) {
  char text[200];
  int length = std::snprintf(text, sizeof text, "step %lld  evaluation loss %.4f",
                             static_cast<long long>(metrics.step), metrics.loss);
  std::string line(text, static_cast<size_t>(length));
  if (metrics.bits_per_byte) {
    std::snprintf(text, sizeof text, "  %.4f bits per byte", *metrics.bits_per_byte);
    line += text;
  }
  if (metrics.exact_loss) {
    std::snprintf(text, sizeof text, "  (exact: %.4f of these tokens, %.4f of the grammar)",
                  *metrics.exact_loss, *metrics.entropy);
    line += text;
  }
  return line;
}

}  // namespace mesita::training
