#pragma once

#include <memory>
#include <string_view>

#include "training/data/token_documents.h"

namespace mesita::training {

/// Documents in memory.
class DocumentList final : public TokenDocuments {
 public:
  explicit DocumentList(DocumentMarks marks) : marks_(marks) {}

  /// `ids` with start and end; `set`: name of the document's set.
  void add(std::vector<int32_t> ids, int64_t bytes, std::string_view set = "");

  int64_t count() const override { return static_cast<int64_t>(documents_.size()); }
  void read(int64_t document, std::vector<int32_t>& ids) const override;
  std::optional<int64_t> bytes(int64_t document) const override;
  size_t set_of(int64_t document) const override;
  const std::vector<DocumentSet>& sets() const override { return sets_; }
  DocumentMarks marks() const override { return marks_; }
  std::string hash() const override;

 private:
  struct Entry {
    std::vector<int32_t> ids;
    int64_t bytes;
    size_t set;
  };
  DocumentMarks marks_;
  std::vector<Entry> documents_;
  std::vector<DocumentSet> sets_;
};

/// Documents of several origins, one after the other; sets of the same name are one set.
class JoinedDocuments final : public TokenDocuments {
 public:
  /// Throws std::invalid_argument when the parts have different marks, or when there are none.
  explicit JoinedDocuments(std::vector<std::unique_ptr<TokenDocuments>> parts);

  int64_t count() const override { return firsts_.back(); }
  void read(int64_t document, std::vector<int32_t>& ids) const override;
  std::optional<int64_t> bytes(int64_t document) const override;
  size_t set_of(int64_t document) const override;
  const std::vector<DocumentSet>& sets() const override { return sets_; }
  DocumentMarks marks() const override { return parts_.front()->marks(); }
  std::string hash() const override;

 private:
  /// Number of the part that holds a document.
  size_t part_of(int64_t document) const;

  std::vector<std::unique_ptr<TokenDocuments>> parts_;
  std::vector<int64_t> firsts_;               // [parts + 1]: number of each part's first document
  std::vector<std::vector<size_t>> set_ids_;  // [parts][sets of the part] -> sets_
  std::vector<DocumentSet> sets_;
};

/// Number of the set of that name, which is added where it is missing.
size_t find_or_add_set(std::vector<DocumentSet>& sets, std::string_view name);

}  // namespace mesita::training
