#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "training/data/batch_source.h"
#include "training/data/document_order.h"
#include "training/data/document_packer.h"
#include "training/data/set_mixture.h"
#include "training/data/token_documents.h"

namespace mesita::training {

/// Endless epochs over documents, packed as one continuous stream. Without weights the documents of
/// all sets are shuffled together; with them each set has epochs of its own, and SetMixture decides
/// which one gives the next document. Every epoch has an order of its own, which depends on (seed,
/// set, epoch) alone.
class DocumentSource final : public BatchSource {
 public:
  /// `weights` by set name. Throws std::invalid_argument without documents, and as SetMixture.
  DocumentSource(std::shared_ptr<const TokenDocuments> documents, uint64_t seed, RowShape shape,
                 const std::map<std::string, double>& weights = {});

  TokenBatch next() override { return packer_.next(rows_); }
  /// "left;set;tokens given per set;epoch/taken;..." of the streams.
  std::string cursor() const override;
  void seek(const std::string& cursor) override;

 private:
  /// The documents of one set, or all, in endless epochs.
  struct Stream {
    std::string name;
    std::vector<uint32_t> numbers;  // of its documents; empty: all there are
    int64_t count = 0;
    int64_t epoch = 0;
    int64_t taken = 0;  // of this epoch

    int64_t number(uint64_t seed, int64_t place) const;
  };

  static std::vector<Stream> streams_of(const TokenDocuments& documents,
                                        const std::map<std::string, double>& weights);
  static SetMixture mixture_of(const TokenDocuments& documents,
                               const std::map<std::string, double>& weights);
  const std::vector<int32_t>& next_document();

  std::shared_ptr<const TokenDocuments> documents_;
  uint64_t seed_;
  int64_t rows_;
  std::vector<Stream> streams_;
  SetMixture mixture_;
  std::optional<size_t> last_;     // the stream that gave the last document
  std::vector<int32_t> document_;  // the last document
  DocumentPacker packer_;
};

}  // namespace mesita::training
