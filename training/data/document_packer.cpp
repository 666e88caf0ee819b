#include "training/data/document_packer.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace mesita::training {

DocumentPacker::DocumentPacker(DocumentStream stream, Packing packing, Boundaries boundaries,
                               std::optional<int32_t> start, int64_t context, int64_t longest)
    : stream_(std::move(stream)),
      packing_(packing),
      boundaries_(boundaries),
      start_(start ? *start : kIgnored),
      context_(context),
      longest_(longest) {
  if (context < 1) throw std::invalid_argument("packing needs a context of at least one token");
  // The last id of a document is only a target, so it needs no position of its own.
  if (packing == Packing::whole && longest - 1 > context) {
    throw std::invalid_argument("the longest document has " + std::to_string(longest) +
                                " ids and does not fit rows of " + std::to_string(context) +
                                " positions; use a context of at least " +
                                std::to_string(longest - 1));
  }
}

TokenBatch DocumentPacker::next(int64_t rows) {
  TokenBatch batch;
  batch.rows = rows;
  batch.context = context_;
  batch.ids.assign(static_cast<size_t>(rows * context_), 0);
  batch.targets.assign(static_cast<size_t>(rows * context_), kIgnored);
  batch.starts.assign(static_cast<size_t>(rows * context_), 0);
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t first = row * context_;
    const Row places{batch.ids.data() + first, batch.targets.data() + first,
                     batch.starts.data() + first};
    packing_ == Packing::continuous ? fill_continuous(places) : fill_whole(places);
  }
  batch.scored = static_cast<int64_t>(batch.targets.size()) -
                 std::count(batch.targets.begin(), batch.targets.end(), kIgnored);
  if (boundaries_ == Boundaries::crossed) batch.starts.clear();
  return batch;
}

// Before the last document was taken the row was not full, so nothing of an earlier one is left.
void DocumentPacker::resume(const std::vector<int32_t>& last, int64_t left) {
  if (left < 0 || left > static_cast<int64_t>(last.size()))
    throw std::invalid_argument("a document of " + std::to_string(last.size()) +
                                " ids cannot have " + std::to_string(left) + " left");
  pending_.assign(last.end() - left, last.end());
  opened_.clear();
  if (left > 0 && left == std::ssize(last)) opened_.push_back(0);
  used_ = 0;
}

void DocumentPacker::set_target(int64_t& target, int64_t id) const {
  target = id == start_ ? kIgnored : id;
}

void DocumentPacker::fill_continuous(Row row) {
  const size_t needed = static_cast<size_t>(context_) + 1;
  if (used_ > 0) {
    pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(used_));
    std::erase_if(opened_, [&](size_t place) { return place < used_; });
    for (size_t& place : opened_) place -= used_;
    used_ = 0;
  }
  while (pending_.size() < needed) {
    const auto& document = stream_();
    if (!document.empty()) opened_.push_back(pending_.size());
    pending_.insert(pending_.end(), document.begin(), document.end());
  }
  int64_t start = 0;
  auto opened = opened_.begin();
  for (int64_t i = 0; i < context_; ++i) {
    if (opened != opened_.end() && *opened == static_cast<size_t>(i)) {
      start = i;
      ++opened;
    }
    row.ids[i] = pending_[static_cast<size_t>(i)];
    row.starts[i] = start;
    set_target(row.targets[i], pending_[static_cast<size_t>(i) + 1]);
  }
  used_ = static_cast<size_t>(context_);
}

void DocumentPacker::fill_whole(Row row) {
  int64_t filled = 0;
  do {
    const std::vector<int32_t>& document = stream_();
    if (static_cast<int64_t>(document.size()) > longest_) {
      throw std::invalid_argument("a document of " + std::to_string(document.size()) +
                                  " ids, although the longest has " + std::to_string(longest_));
    }
    const int64_t start = filled;
    for (size_t i = 0; i + 1 < document.size(); ++i, ++filled) {
      row.ids[filled] = document[i];
      row.starts[filled] = start;
      set_target(row.targets[filled], document[i + 1]);
    }
  } while (filled + longest_ - 1 <= context_);
  for (const int64_t start = filled; filled < context_; ++filled) row.starts[filled] = start;
}

}  // namespace mesita::training
