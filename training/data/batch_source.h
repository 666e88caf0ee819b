#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "training/run_config.h"

namespace mesita::training {

/// Target of a position that is not scored.
constexpr int64_t kIgnored = -100;

/// The shape of micro-batches.
struct RowShape {
  int64_t rows = 1;
  int64_t context = 1;  // positions of a row
  Boundaries boundaries = Boundaries::crossed;
};

/// A micro-batch: what each position sees and what it should predict.
struct TokenBatch {
  int64_t rows = 0;
  int64_t context = 0;
  std::vector<int64_t> ids = {};      // [rows, context]
  std::vector<int64_t> targets = {};  // [rows, context]; the next id, or kIgnored
  std::vector<int64_t> starts = {};   // [rows, context]; where in its row a position's document
                                      // begins; empty: documents see those before them in their row
  int64_t scored = 0;                 // targets that are not ignored
};

/// Gives micro-batches for ever. A pure function of its seed: the same batches in the same order.
class BatchSource {
 public:
  virtual ~BatchSource() = default;
  virtual TokenBatch next() = 0;
  /// The exact place in the data, as a short text: seek(cursor()) on a new source of the same data
  /// and seed goes on with the same batches.
  virtual std::string cursor() const = 0;
  /// Throws std::invalid_argument for a text that is no cursor of this source.
  virtual void seek(const std::string& cursor) = 0;
};

/// What a model is evaluated on: the same tokens every time, so that losses compare.
struct EvaluationSet {
  std::vector<TokenBatch> batches;
  int64_t scored = 0;             // targets that count, in all batches
  int64_t bytes = 0;              // of the text behind them; 0 where there is no text
  int32_t end = -1;               // its targets carry no bytes; -1: none
  double exact_nats = 0.0;        // -log p of the scored symbols under the true distribution
  double entropy_per_symbol = 0;  // of the true distribution; 0 where it is unknown
};

}  // namespace mesita::training
