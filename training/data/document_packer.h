#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "training/data/batch_source.h"

namespace mesita::training {

/// Gives one document after the other, for ever.
using DocumentStream = std::function<const std::vector<int32_t>&()>;

/// How documents fill rows.
enum class Packing {
  continuous,  // one stream, cut wherever a row ends: every token is predicted exactly once
  whole,       // a document is never cut; what it leaves of a row is ignored
};

/// Fills rows of `context` positions with documents. Two rows of a continuous stream overlap by one
/// id, so that the last prediction of a row is the first id of the next.
///
/// Whole documents follow each other in a row as long as `longest` more ids fit. The next
/// document's own length must not decide: then its place in the row would tell how long it may be,
/// and a model could do better than the true distribution of documents.
class DocumentPacker {
 public:
  /// `longest`: most ids in a document of the stream, only for Packing::whole. Throws
  /// std::invalid_argument when such a document does not fit a row.
  DocumentPacker(DocumentStream stream, Packing packing, Boundaries boundaries,
                 std::optional<int32_t> start, int64_t context, int64_t longest = 0);

  /// Throws std::invalid_argument when a document is longer than `longest`.
  TokenBatch next(int64_t rows);

  /// Ids of the stream's last document that were not used yet; they open the next row.
  int64_t left() const { return static_cast<int64_t>(pending_.size() - used_); }
  /// Continues where left() was `left` and the stream had just given `last`. Throws
  /// std::invalid_argument when it has fewer ids.
  void resume(const std::vector<int32_t>& last, int64_t left);

 private:
  /// The places of one row in a batch, [context] each.
  struct Row {
    int64_t* ids;
    int64_t* targets;
    int64_t* starts;
  };
  void fill_continuous(Row row);
  void fill_whole(Row row);
  void set_target(int64_t& target, int64_t id) const;

  DocumentStream stream_;
  Packing packing_;
  Boundaries boundaries_;
  int64_t start_;  // kIgnored: none
  int64_t context_;
  int64_t longest_;
  std::vector<int32_t> pending_;  // ids taken from the stream and not yet used
  std::vector<size_t> opened_;    // places in pending_ where a document begins, ascending
  size_t used_ = 0;
};

}  // namespace mesita::training
