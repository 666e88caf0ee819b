#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/config.h"
#include "model/parameters.h"

namespace mesita::training {

enum class DataKind { grammar, text };
/// Whether a position sees what stands before its own document in its row.
enum class Boundaries { crossed, kept };
enum class Precision { automatic, float32, bf16 };
/// How the learning rate goes on after the warm-up; lr_schedule.h has the formulas.
enum class Schedule { cosine, constant, wsd };
enum class Storage { float32, bf16 };
enum class CheckpointForm { automatic, compact, full };

/// Everything that determines a training run: one value, one JSON document. The meaning, range and
/// default of every field stand in run_fields.cpp, which is also what `--help` prints.
struct RunConfig {
  model::ModelConfig model{.vocabulary = 0,  // 0: the tokenizer's
                           .context = 80,
                           .width = 64,
                           .layers = 2,
                           .heads = 4,
                           .feed_forward = 0};  // 0: 4 x width
  struct Data {
    DataKind kind = DataKind::grammar;
    // Only for text; paths of texts, packs, and others' token files.
    std::vector<std::string> train, validation;
    std::string tokenizer;             // "": the pack's
    std::vector<std::string> weights;  // "SET=WEIGHT"
    int64_t separator = -1;            // in others' token files; -1: none
    Boundaries boundaries = Boundaries::crossed;
    std::string description;  // goes into the checkpoint
  } data;
  std::string trained = "all";  // preset or comma-separated roles
  struct Optimizer {
    double lr = 5e-3;
    double min_lr = 0.0;
    Schedule schedule = Schedule::cosine;
    double decay_fraction = 0.2;  // only for wsd
    int64_t warmup_steps = 50;
    double beta1 = 0.9;
    double beta2 = 0.95;
    double epsilon = 1e-8;
    double weight_decay = 0.1;
    std::string decayed = "matrices";  // matrices, all, or roles and presets
    double clip = 1.0;                 // 0: off
  } optimizer;
  struct Batch {
    int64_t rows = 16;
    int64_t context = 0;  // 0: the model's
    int64_t accumulation = 1;
  } batch;
  struct Stop {
    int64_t steps = 1000;      // 0: no limit
    double minutes = 0.0;      // 0: no limit
    double target_loss = 0.0;  // 0: none
    int64_t skipped_steps = 10;
  } stop;
  struct Evaluation {
    int64_t interval = 250;
    int64_t tokens = 20000;
  } evaluation;
  struct Samples {
    int64_t interval = 0;  // 0: at the end only
    int64_t tokens = 100;
    double temperature = 1.0;
    std::vector<std::string> prompts{""};
  } samples;
  struct Saving {
    Storage storage = Storage::float32;
    CheckpointForm form = CheckpointForm::automatic;
    int64_t interval = 0;  // 0: at evaluations
  } checkpoint;
  int64_t log_interval = 10;
  Precision precision = Precision::automatic;
  std::string device = "auto";
  int64_t threads = 0;  // 0: the machine's cores, or one
  int64_t seed = 1;
  std::string seeds;  // several, trained together: "1-8", "1,2,5"

  int64_t row_context() const { return batch.context > 0 ? batch.context : model.context; }
  std::vector<model::ParameterRole> trained_roles() const;
  /// Those of `seeds`, or `seed` alone. Throws std::invalid_argument for what is no such list.
  std::vector<int64_t> all_seeds() const;
};

/// A field set on the command line: `--name value`. The name is a dotted path, or its last part
/// where that is unambiguous; '-' and '_' are the same.
struct FieldOverride {
  std::string name;
  std::string value;
};

/// The config of a JSON document ("" or "{}": all defaults) with overrides applied in order. Throws
/// std::invalid_argument for text that is no JSON, keys that are unknown (names the nearest) or
/// given twice, wrong types, values out of range, and fields that contradict each other.
RunConfig resolve_run_config(std::string_view json, const std::vector<FieldOverride>& overrides);

/// The whole config as indented JSON; resolve_run_config reads it back to the same value.
std::string to_json(const RunConfig& config);

/// data.weights as numbers by set: "SET=WEIGHT" each; the last '=' counts. Throws
/// std::invalid_argument for what is no such text or names a set twice.
std::map<std::string, double> parse_weights(const std::vector<std::string>& weights);

/// A line or two per field: name, default, what is allowed, meaning.
std::string describe_fields();

}  // namespace mesita::training
