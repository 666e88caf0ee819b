#include "training/data/text_source.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>

#include "model/kernels/seeded_normal.h"

namespace mesita::training {

TextSource::TextSource(std::shared_ptr<const TokenDocuments> documents, uint64_t seed, int64_t rows,
                       int64_t context)
    : documents_(std::move(documents)),
      seed_(seed),
      rows_(rows),
      order_(documents_->documents.size()),
      cursor_(order_.size()),
      packer_([this]() -> const std::vector<int32_t>& { return next_document(); },
              Packing::continuous, documents_->start, context) {
  if (documents_->tokens == 0 || order_.empty())
    throw std::invalid_argument("training needs at least one document with text");
  if (order_.size() > std::numeric_limits<uint32_t>::max())
    throw std::invalid_argument("more than 2^32 documents");
}

void TextSource::begin_epoch() {
  std::iota(order_.begin(), order_.end(), 0u);
  const uint64_t stream = kernels::stream_of("document order " + std::to_string(epoch_));
  for (size_t i = order_.size(); i > 1; --i) {
    const double uniform = kernels::seeded_uniform(seed_, stream, i);
    std::swap(order_[i - 1], order_[static_cast<size_t>(uniform * static_cast<double>(i))]);
  }
  ++epoch_;
  cursor_ = 0;
}

const std::vector<int32_t>& TextSource::next_document() {
  if (cursor_ == order_.size()) begin_epoch();
  return documents_->documents[order_[cursor_++]];
}

std::string TextSource::cursor() const {
  return std::to_string(epoch_) + ":" + std::to_string(epoch_ == 0 ? 0 : cursor_) + ":" +
         std::to_string(packer_.left());
}

void TextSource::seek(const std::string& cursor) {
  int64_t epoch = 0, left = 0;
  size_t taken = 0;
  char colons[2] = {}, rest = 0;
  std::istringstream text(cursor);
  text >> epoch >> colons[0] >> taken >> colons[1] >> left;
  const bool is_place = text && colons[0] == ':' && colons[1] == ':' && !(text >> rest) &&
                        epoch >= 0 && taken <= order_.size() &&
                        (epoch == 0 ? taken == 0 && left == 0 : taken > 0);
  if (!is_place)
    throw std::invalid_argument("'" + cursor + "' is no place in these " +
                                std::to_string(order_.size()) + " documents");
  epoch_ = epoch;
  cursor_ = order_.size();
  if (epoch == 0) return packer_.resume({}, 0);
  --epoch_;
  begin_epoch();
  cursor_ = taken;
  packer_.resume(documents_->documents[order_[taken - 1]], left);
}

EvaluationSet text_evaluation_set(const TokenDocuments& documents, int64_t tokens, int64_t rows,
                                  int64_t context, const std::vector<int32_t>& token_bytes) {
  EvaluationSet set;
  set.end = documents.end.value_or(-1);
  static const std::vector<int32_t> padding{static_cast<int32_t>(kIgnored)};
  const int64_t start = documents.start ? *documents.start : kIgnored;
  size_t next = 0;
  bool finished = false;
  DocumentPacker packer(
      [&]() -> const std::vector<int32_t>& {
        if (next < documents.documents.size()) return documents.documents[next++];
        finished = true;
        return padding;
      },
      Packing::continuous, static_cast<int32_t>(start), context);
  while (set.scored < tokens && !finished) {
    TokenBatch batch = packer.next(rows);
    // Padding and what exceeds the wanted number is not scored.
    for (size_t i = 0; i < batch.ids.size(); ++i) {
      if (batch.ids[i] == kIgnored) batch.ids[i] = 0;
      int64_t& target = batch.targets[i];
      if (target == kIgnored) continue;
      if (set.scored == tokens) {
        target = kIgnored;
        --batch.scored;
        continue;
      }
      ++set.scored;
      if (target != set.end) set.bytes += token_bytes.at(static_cast<size_t>(target));
    }
    if (batch.scored > 0) set.batches.push_back(std::move(batch));
  }
  if (set.scored == 0) throw std::invalid_argument("the validation documents are empty");
  return set;
}

}  // namespace mesita::training
