#pragma once

#include <memory>

#include "training/data/batch_source.h"
#include "training/data/document_packer.h"

namespace mesita::training {

/// Endless epochs over documents, each in an order of its own that depends on (seed, epoch) alone,
/// packed as one continuous stream.
class TextSource final : public BatchSource {
 public:
  /// Throws std::invalid_argument when there are no documents.
  TextSource(std::shared_ptr<const TokenDocuments> documents, uint64_t seed, int64_t rows,
             int64_t context);

  TokenBatch next() override { return packer_.next(rows_); }
  /// "epoch:document:left": passes begun, documents taken in this one, ids of the last one that the
  /// next row begins with.
  std::string cursor() const override;
  void seek(const std::string& cursor) override;

 private:
  const std::vector<int32_t>& next_document();
  void begin_epoch();

  std::shared_ptr<const TokenDocuments> documents_;
  uint64_t seed_;
  int64_t rows_;
  int64_t epoch_ = 0;  // passes begun
  std::vector<uint32_t> order_;
  size_t cursor_ = 0;
  DocumentPacker packer_;
};

/// The first documents in their order, until `tokens` targets are scored (or all of them, if there
/// are fewer). `token_bytes[id]`: bytes that the id adds to a text.
EvaluationSet text_evaluation_set(const TokenDocuments& documents, int64_t tokens, int64_t rows,
                                  int64_t context, const std::vector<int32_t>& token_bytes);

}  // namespace mesita::training
