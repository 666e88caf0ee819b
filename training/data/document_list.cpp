#include "training/data/document_list.h"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>

#include "model/checkpoint/sha256.h"

namespace mesita::training {

size_t find_or_add_set(std::vector<DocumentSet>& sets, std::string_view name) {
  const auto found = std::ranges::find(sets, name, &DocumentSet::name);
  if (found != sets.end()) return static_cast<size_t>(found - sets.begin());
  sets.push_back({.name = std::string(name)});
  return sets.size() - 1;
}

void DocumentList::add(std::vector<int32_t> ids, int64_t bytes, std::string_view set) {
  const size_t number = find_or_add_set(sets_, set);
  ++sets_[number].documents;
  sets_[number].tokens += static_cast<int64_t>(ids.size());
  sets_[number].bytes += bytes;
  documents_.push_back({std::move(ids), bytes, number});
}

void DocumentList::read(int64_t document, std::vector<int32_t>& ids) const {
  ids = documents_.at(static_cast<size_t>(document)).ids;
}

std::optional<int64_t> DocumentList::bytes(int64_t document) const {
  return documents_.at(static_cast<size_t>(document)).bytes;
}

size_t DocumentList::set_of(int64_t document) const {
  return documents_.at(static_cast<size_t>(document)).set;
}

std::string DocumentList::hash() const {
  checkpoint::Sha256 hash;
  for (const Entry& document : documents_) {
    const uint64_t size = document.ids.size();
    hash.update(std::as_bytes(std::span(&size, 1)));
    hash.update(std::as_bytes(std::span(document.ids)));
  }
  return hash.hex();
}

JoinedDocuments::JoinedDocuments(std::vector<std::unique_ptr<TokenDocuments>> parts)
    : parts_(std::move(parts)), firsts_{0} {
  if (parts_.empty()) throw std::invalid_argument("there are no documents to join");
  for (const auto& part : parts_) {
    if (part->marks() != parts_.front()->marks()) {
      throw std::invalid_argument(
          "the files mark starts and ends of documents by different ids; use one tokenizer");
    }
    firsts_.push_back(firsts_.back() + part->count());
    std::vector<size_t>& ids = set_ids_.emplace_back();
    for (const DocumentSet& set : part->sets()) {
      ids.push_back(find_or_add_set(sets_, set.name));
      sets_[ids.back()].documents += set.documents;
      sets_[ids.back()].tokens += set.tokens;
      sets_[ids.back()].bytes += set.bytes;
    }
  }
}

size_t JoinedDocuments::part_of(int64_t document) const {
  if (document < 0 || document >= count())
    throw std::out_of_range("document " + std::to_string(document));
  const auto after = std::ranges::upper_bound(firsts_, document);
  return static_cast<size_t>(after - firsts_.begin()) - 1;
}

void JoinedDocuments::read(int64_t document, std::vector<int32_t>& ids) const {
  const size_t part = part_of(document);
  parts_[part]->read(document - firsts_[part], ids);
}

std::optional<int64_t> JoinedDocuments::bytes(int64_t document) const {
  const size_t part = part_of(document);
  return parts_[part]->bytes(document - firsts_[part]);
}

size_t JoinedDocuments::set_of(int64_t document) const {
  const size_t part = part_of(document);
  return set_ids_[part][parts_[part]->set_of(document - firsts_[part])];
}

std::string JoinedDocuments::hash() const {
  checkpoint::Sha256 hash;
  for (const auto& part : parts_) hash.update(part->hash());
  return hash.hex();
}

}  // namespace mesita::training
