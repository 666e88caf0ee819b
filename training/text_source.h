#pragma once

#include <memory>

#include "training/batch_source.h"
#include "training/document_packer.h"

namespace mesita::training {

/// Endless epochs over documents, each in an order of its own that depends on (seed, epoch) alone,
/// packed as one continuous stream.
class TextSource final : public BatchSource {
 public:
  /// Throws std::invalid_argument when there are no documents.
  TextSource(std::shared_ptr<const TokenDocuments> documents, uint64_t seed, int64_t rows,
             int64_t context);

  TokenBatch next() override { return packer_.next(rows_); }
  /// Passes over the data that have begun.
  int64_t epochs_begun() const { return epoch_; }

 private:
  const std::vector<int32_t>& next_document();

  std::shared_ptr<const TokenDocuments> documents_;
  uint64_t seed_;
  int64_t rows_;
  int64_t epoch_ = 0;
  std::vector<uint32_t> order_;
  size_t cursor_ = 0;
  DocumentPacker packer_;
};

/// The first documents in their order, until `tokens` targets are scored (or all of them, if there
/// are fewer). `token_bytes[id]`: bytes that the id adds to a text.
EvaluationSet text_evaluation_set(const TokenDocuments& documents, int64_t tokens, int64_t rows,
                                  int64_t context, const std::vector<int32_t>& token_bytes);

}  // namespace mesita::training
