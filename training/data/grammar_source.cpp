#include "training/data/grammar_source.h"

#include <charconv>
#include <limits>
#include <stdexcept>

namespace mesita::training {
namespace {

// Run seeds are at most 9e15.
constexpr uint64_t kEvaluationSeed = std::numeric_limits<uint64_t>::max();

}  // namespace

GrammarSource::GrammarSource(const RuleGrammar& grammar, uint64_t seed, RowShape shape)
    : grammar_(grammar),
      seed_(seed),
      rows_(shape.rows),
      packer_(
          [this]() -> const std::vector<int32_t>& {
            return document_ = grammar_.document(seed_, index_++);
          },
          Packing::whole, shape.boundaries, RuleGrammar::kStart, shape.context,
          grammar.longest_document()) {}

void GrammarSource::seek(const std::string& cursor) {
  uint64_t index = 0;
  const auto [end, error] = std::from_chars(cursor.data(), cursor.data() + cursor.size(), index);
  if (error != std::errc() || end != cursor.data() + cursor.size())
    throw std::invalid_argument("'" + cursor + "' is no place in the stories of a grammar");
  index_ = index;
}

EvaluationSet grammar_evaluation_set(const RuleGrammar& grammar, int64_t tokens, RowShape shape) {
  EvaluationSet set;
  set.end = RuleGrammar::kEnd;
  set.entropy_per_symbol = grammar.entropy_per_symbol();
  uint64_t index = 0;
  std::vector<int32_t> document;
  DocumentPacker packer(
      [&]() -> const std::vector<int32_t>& {
        document = grammar.document(kEvaluationSeed, index++);
        for (const double nats : grammar.surprisals(document)) set.exact_nats += nats;
        return document;
      },
      Packing::whole, shape.boundaries, RuleGrammar::kStart, shape.context,
      grammar.longest_document());
  while (set.scored < tokens) {
    set.batches.push_back(packer.next(shape.rows));
    set.scored += set.batches.back().scored;
  }
  return set;
}

}  // namespace mesita::training
