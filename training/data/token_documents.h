#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mesita::training {

/// Documents of one origin: a set of the Pile, or all documents of a corpus that names no sets.
struct DocumentSet {
  std::string name;  // "" where the corpus names none
  int64_t documents = 0;
  int64_t tokens = 0;  // in all documents, starts and ends included
  int64_t bytes = 0;   // of their texts; 0 where they are unknown
  bool operator==(const DocumentSet&) const = default;
};

/// The ids that mark the boundaries of documents.
struct DocumentMarks {
  std::optional<int32_t> start;  // never scored: nothing predicts it
  std::optional<int32_t> end;
  bool operator==(const DocumentMarks&) const = default;
};

/// Documents as ids, in memory or on the disk, numbered from 0. Immutable.
class TokenDocuments {
 public:
  virtual ~TokenDocuments() = default;

  virtual int64_t count() const = 0;
  /// Replaces `ids` by those of a document: [start] text [end].
  virtual void read(int64_t document, std::vector<int32_t>& ids) const = 0;
  /// Bytes of a document's text; nothing where they are unknown.
  virtual std::optional<int64_t> bytes(int64_t document) const = 0;
  /// Number of a document's set in sets().
  virtual size_t set_of(int64_t document) const = 0;
  virtual const std::vector<DocumentSet>& sets() const = 0;
  virtual DocumentMarks marks() const = 0;
  /// Equal hashes, equal documents in the same order.
  virtual std::string hash() const = 0;

  /// Ids in all documents.
  int64_t tokens() const;
};

}  // namespace mesita::training
