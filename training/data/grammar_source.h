#pragma once

#include "training/data/batch_source.h"
#include "training/data/document_packer.h"
#include "training/tasks/rule_grammar.h"

namespace mesita::training {

/// Stories of a grammar, whole in their rows, never repeated: story 0, 1, 2, ... of the seed.
class GrammarSource final : public BatchSource {
 public:
  /// Throws std::invalid_argument when the longest story does not fit the context.
  GrammarSource(const RuleGrammar& grammar, uint64_t seed, RowShape shape);

  TokenBatch next() override { return packer_.next(rows_); }
  /// The next story's number: rows hold whole stories.
  std::string cursor() const override { return std::to_string(index_); }
  void seek(const std::string& cursor) override;

 private:
  const RuleGrammar& grammar_;
  uint64_t seed_;
  int64_t rows_;
  uint64_t index_ = 0;
  std::vector<int32_t> document_;
  DocumentPacker packer_;
};

/// Whole stories, as many as are needed for at least `tokens` scored symbols, from a seed that no
/// training run uses; with their exact -log p.
EvaluationSet grammar_evaluation_set(const RuleGrammar& grammar, int64_t tokens, RowShape shape);

}  // namespace mesita::training
