#include "training/data/document_source.h"

#include <charconv>
#include <limits>
#include <stdexcept>

namespace mesita::training {
namespace {

/// The parts of a text between ';'.
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) c == ';' ? void(parts.emplace_back()) : parts.back().push_back(c);
  return parts;
}

std::optional<int64_t> number_of(std::string_view text) {
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end && value >= 0 ? std::optional(value) : std::nullopt;
}

}  // namespace

int64_t DocumentSource::Stream::number(uint64_t seed, int64_t place) const {
  const int64_t index = DocumentOrder(seed, name, epoch, count).at(place);
  return numbers.empty() ? index : numbers[static_cast<size_t>(index)];
}

std::vector<DocumentSource::Stream> DocumentSource::streams_of(
    const TokenDocuments& documents, const std::map<std::string, double>& weights) {
  if (documents.count() == 0 || documents.tokens() == 0)
    throw std::invalid_argument("training needs at least one document with text");
  if (weights.empty()) {
    Stream all;
    all.count = documents.count();
    return {all};
  }
  if (documents.count() > std::numeric_limits<uint32_t>::max())
    throw std::invalid_argument("weights are for at most 2^32 documents");
  std::vector<Stream> streams;
  for (const DocumentSet& set : documents.sets()) streams.emplace_back().name = set.name;
  for (int64_t i = 0; i < documents.count(); ++i) {
    Stream& stream = streams[documents.set_of(i)];
    stream.numbers.push_back(static_cast<uint32_t>(i));
    ++stream.count;
  }
  return streams;
}

SetMixture DocumentSource::mixture_of(const TokenDocuments& documents,
                                      const std::map<std::string, double>& weights) {
  if (weights.empty()) return {{{.name = "", .tokens = documents.tokens()}}, {}};
  std::vector<MixedSet> sets;
  for (const DocumentSet& set : documents.sets())
    sets.push_back({.name = set.name, .tokens = set.tokens});
  return {std::move(sets), weights};
}

DocumentSource::DocumentSource(std::shared_ptr<const TokenDocuments> documents, uint64_t seed,
                               RowShape shape, const std::map<std::string, double>& weights)
    : documents_(std::move(documents)),
      seed_(seed),
      rows_(shape.rows),
      streams_(streams_of(*documents_, weights)),
      mixture_(mixture_of(*documents_, weights)),
      packer_([this]() -> const std::vector<int32_t>& { return next_document(); },
              Packing::continuous, shape.boundaries, documents_->marks().start, shape.context) {}

const std::vector<int32_t>& DocumentSource::next_document() {
  last_ = mixture_.next();
  Stream& stream = streams_[*last_];
  if (stream.taken == stream.count) {
    ++stream.epoch;
    stream.taken = 0;
  }
  documents_->read(stream.number(seed_, stream.taken++), document_);
  mixture_.count(*last_, static_cast<int64_t>(document_.size()));
  return document_;
}

std::string DocumentSource::cursor() const {
  std::string text = std::to_string(packer_.left()) + ";" + (last_ ? std::to_string(*last_) : "") +
                     ";" + mixture_.cursor();
  for (const Stream& stream : streams_)
    text += ";" + std::to_string(stream.epoch) + "/" + std::to_string(stream.taken);
  return text;
}

void DocumentSource::seek(const std::string& cursor) {
  const auto require = [&](bool holds) {
    if (holds) return;
    throw std::invalid_argument("'" + cursor.substr(0, 200) + "' is no place in these " +
                                std::to_string(documents_->count()) + " documents");
  };
  const std::vector<std::string> parts = parts_of(cursor);
  require(parts.size() == 3 + streams_.size());
  const auto left = number_of(parts[0]);
  const auto last = number_of(parts[1]);
  require(left && (parts[1].empty() ? *left == 0 : last && *last < std::ssize(streams_)));
  std::vector<Stream> streams = streams_;
  for (size_t i = 0; i < streams.size(); ++i) {
    const std::string& place = parts[3 + i];
    const size_t slash = std::min(place.find('/'), place.size());
    const auto epoch = number_of(place.substr(0, slash));
    const auto taken = number_of(place.substr(std::min(slash + 1, place.size())));
    require(epoch && taken && *taken <= streams[i].count);
    streams[i].epoch = *epoch;
    streams[i].taken = *taken;
  }
  std::vector<int32_t> document;
  if (last) {
    const Stream& stream = streams[static_cast<size_t>(*last)];
    require(stream.taken > 0);
    documents_->read(stream.number(seed_, stream.taken - 1), document);
  }
  require(*left <= std::ssize(document));
  mixture_.seek(parts[2]);
  packer_.resume(document, *left);
  streams_ = std::move(streams);
  last_ = last ? std::optional(static_cast<size_t>(*last)) : std::nullopt;
  document_ = std::move(document);
}

}  // namespace mesita::training
