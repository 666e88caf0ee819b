#include "training/data/document_evaluation.h"

#include <span>
#include <stdexcept>
#include <utility>

#include "training/data/document_packer.h"

namespace mesita::training {
namespace {

/// Bytes that ids without start give: special ids have none.
int64_t bytes_of_ids(std::span<const int32_t> ids, const tokenizer::Tokenizer& tokenizer) {
  int64_t bytes = 0;
  auto place = tokenizer::Tokenizer::Place::start;
  for (const int32_t id : ids) {
    bytes += static_cast<int64_t>(tokenizer.bytes_of(id, place).size());
    if (!tokenizer.special_name(id)) place = tokenizer::Tokenizer::Place::inside;
  }
  return bytes;
}

/// Gives the documents that are scored, then padding for ever.
class ScoredDocuments {
 public:
  ScoredDocuments(const TokenDocuments& documents, int64_t tokens,
                  const tokenizer::Tokenizer& tokenizer)
      : documents_(documents), wanted_(tokens), tokenizer_(tokenizer) {}

  const std::vector<int32_t>& next() {
    static const std::vector<int32_t> padding{static_cast<int32_t>(kIgnored)};
    if (scored_ == wanted_ || document_ == documents_.count()) {
      finished_ = true;
      return padding;
    }
    documents_.read(document_, ids_);
    const int64_t unscored = documents_.marks().start ? 1 : 0;
    const int64_t room = wanted_ - scored_ + unscored;
    const auto bytes = documents_.bytes(document_++);
    knows_bytes_ &= bytes.has_value();
    if (std::ssize(ids_) > room) {
      ids_.resize(static_cast<size_t>(room));
      bytes_ += bytes_of_ids(ids_, tokenizer_);
    } else {
      bytes_ += bytes.value_or(0);
    }
    scored_ += std::ssize(ids_) - unscored;
    return ids_;
  }

  bool finished() const { return finished_; }
  int64_t bytes() const { return knows_bytes_ ? bytes_ : 0; }

 private:
  const TokenDocuments& documents_;
  int64_t wanted_;
  const tokenizer::Tokenizer& tokenizer_;
  int64_t document_ = 0;
  int64_t scored_ = 0;
  int64_t bytes_ = 0;
  bool knows_bytes_ = true;
  bool finished_ = false;
  std::vector<int32_t> ids_;
};

}  // namespace

EvaluationSet document_evaluation_set(const TokenDocuments& documents, int64_t tokens,
                                      RowShape shape, const tokenizer::Tokenizer& tokenizer) {
  EvaluationSet set;
  const DocumentMarks marks = documents.marks();
  set.end = marks.end.value_or(-1);
  ScoredDocuments scored(documents, tokens, tokenizer);
  DocumentPacker packer([&]() -> const std::vector<int32_t>& { return scored.next(); },
                        Packing::continuous, shape.boundaries, marks.start, shape.context);
  while (!scored.finished()) {
    TokenBatch batch = packer.next(shape.rows);
    for (int64_t& id : batch.ids) id = id == kIgnored ? 0 : id;
    // Without a start nothing predicts the very first id.
    set.scored += batch.scored;
    if (batch.scored > 0) set.batches.push_back(std::move(batch));
  }
  set.bytes = scored.bytes();
  if (set.scored == 0) throw std::invalid_argument("the validation documents are empty");
  return set;
}

}  // namespace mesita::training
