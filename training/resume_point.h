#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "training/metrics_log.h"

namespace mesita::training {

/// Where a run stands, beside weights and optimizer state: what checkpoints/last keeps so that the
/// run goes on as if it had never been interrupted.
struct ResumePoint {
  int64_t step = 0;           // optimizer steps done
  int64_t tokens = 0;         // scored so far
  double seconds = 0.0;       // of work so far
  int64_t skipped = 0;        // steps skipped in a row up to here
  int64_t evaluated_at = -1;  // step of the last evaluation, -1: none yet
  int64_t sampled_at = -1;
  EvaluationMetrics last, best;
  std::string cursor;         // place in the training data (BatchSource::cursor)
  int64_t metrics_bytes = 0;  // of metrics.jsonl that belong to the steps done
  std::string config;         // text of config.json
  std::string data;           // hash of the training data
  std::string machine;        // machine_description() of the process
};

/// As the notes of a checkpoint's training state. Numbers survive exactly.
std::map<std::string, std::string> to_notes(const ResumePoint& point);
/// Throws std::runtime_error when the notes are not those of to_notes.
ResumePoint resume_point(const std::map<std::string, std::string>& notes);

/// What differs between a saved point and the present run, as text for people; "" when nothing that
/// could change a bit of the result does.
std::string differences(const ResumePoint& saved, const ResumePoint& present);

}  // namespace mesita::training
