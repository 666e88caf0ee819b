#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "training/event_file.h"

namespace mesita::training {

/// Some optimizer steps, as a line of metrics.jsonl. Numbers that are not finite become null.
struct StepMetrics {
  int64_t step = 0;    // steps done
  int64_t tokens = 0;  // scored tokens seen since the beginning
  double loss = 0.0;   // nats per scored token, mean over the steps since the last line
  double lr = 0.0;
  double grad_norm = 0.0;  // before clipping, of the last step
  double tokens_per_second = 0.0;
  double flops_per_second = 0.0;   // of the process: operations (step_flops.h) of all its seeds
  double flops_utilisation = 0.0;  // that as a share of the machine's rate in large products
  int64_t memory_bytes = 0;        // the most of the process so far
  double seconds = 0.0;            // since the beginning
};

/// An evaluation.
struct EvaluationMetrics {
  int64_t step = 0;
  int64_t tokens = 0;
  double seconds = 0.0;
  double loss = 0.0;                    // nats per scored token
  std::optional<double> bits_per_byte;  // of text; the end of a document is not counted
  std::optional<double> exact_loss;     // -log p per symbol of the same tokens, true distribution
  std::optional<double> entropy;        // per symbol, of the true distribution
};

/// An evaluation as a JSON object: step, tokens, seconds, loss, and what else it has.
nlohmann::ordered_json to_json(const EvaluationMetrics& metrics);

/// RUN/metrics.jsonl: one JSON object per line, each with its "kind" ("step", "evaluation",
/// "sample", "skipped") and "time" (Unix seconds), written through at once so that a reader sees
/// whole lines. The event file for TensorBoard beside it holds the numbers of the same lines and
/// nothing else, so that it can be made from them again.
class MetricsLog {
 public:
  /// Begins a new file, or continues one behind its first `kept` bytes; what follows them is cut
  /// off. Throws std::runtime_error when the file cannot be made or is shorter than that.
  MetricsLog(const std::filesystem::path& file, const std::filesystem::path& events,
             int64_t kept = 0);

  void write(const StepMetrics& metrics);
  void write(const EvaluationMetrics& metrics);
  void write_sample(int64_t step, std::string_view prompt, std::string_view text);
  /// A step that changed no weight, and why.
  void write_skipped(int64_t step, std::string_view reason);

  /// Bytes of the file.
  int64_t size() const { return size_; }
  /// Makes what was written durable (fsync).
  void sync();

 private:
  void write_line(nlohmann::ordered_json line);
  void write_event(const nlohmann::ordered_json& line);

  std::filesystem::path path_;
  std::ofstream file_;
  std::optional<EventFile> events_;
  int64_t size_ = 0;
};

}  // namespace mesita::training
