#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace mesita::training {

/// Words that can stand for each other, with positive weights.
struct WordClass {
  std::string name;
  std::vector<std::pair<std::string, double>> words;
};

/// Weighted alternatives of a rule. Each is a text of items separated by blanks:
///   word          itself
///   hero:name     a word drawn from class `name`, remembered as `hero`
///   $hero         the word remembered last as `hero`
///   <event>       the rule `event`
struct GrammarRule {
  std::string name;
  std::vector<std::pair<double, std::string>> alternatives;
};

/// A probabilistic grammar of bounded documents with exactly known entropy. A document is drawn by
/// expanding the first rule from the left. No rule reaches itself, so documents are bounded, and
/// the alternatives of a rule begin with different words, so a document has exactly one derivation.
/// Hence -log p(document) is the sum over the choices that are read off it from left to right, and
/// H(document) the sum over the entropies of the choices (chain rule): both exact. Recalled words
/// are free to a reader who remembers.
class RuleGrammar {
 public:
  /// Ids of the special symbols; <unk> never occurs in a document.
  static constexpr int32_t kUnknown = 0, kStart = 1, kEnd = 2;

  /// Throws std::invalid_argument naming the rule for: unknown classes or rules, recursion,
  /// alternatives that may begin with the same word, words recalled before they are drawn, a name
  /// drawn from two classes, weights that are not positive, empty alternatives.
  RuleGrammar(const std::vector<WordClass>& classes, const std::vector<GrammarRule>& rules);

  /// Names by id: <unk>, <s>, </s>, then the words.
  const std::vector<std::string>& symbols() const { return symbols_; }

  /// Document number `index` of a seed: kStart, words, kEnd. A pure function of (seed, index).
  std::vector<int32_t> document(uint64_t seed, uint64_t index) const;

  /// Exact -log p, in nats, of each symbol after the start: one value per word and one for kEnd.
  /// Throws std::invalid_argument saying at which symbol when the grammar cannot generate it.
  std::vector<double> surprisals(std::span<const int32_t> document) const;

  /// H(document) in nats.
  double entropy() const { return entropy_; }
  /// E[words + end].
  double mean_symbols() const { return mean_symbols_; }
  /// Entropy per predicted symbol: the least expected loss of any model.
  double entropy_per_symbol() const { return entropy_ / mean_symbols_; }
  /// Most ids in a document, start and end counted.
  int64_t longest_document() const { return longest_; }

 private:
  friend class RuleGrammarBuilder;
  enum class ItemKind { word, draw, recall, rule };
  struct Item {
    ItemKind kind = ItemKind::word;
    size_t index = 0;   // id of a word, or number of a class, memory or rule
    size_t memory = 0;  // for draw: where the word is remembered
  };
  struct Alternative {
    double probability = 0.0;
    std::vector<Item> items;
    std::vector<int32_t> first;  // ids that it can begin with
  };
  struct Words {
    std::vector<int32_t> ids;
    std::vector<double> probabilities;
  };

  template <typename Chooser>
  void derive(Chooser& chooser) const;

  std::vector<std::string> symbols_;
  std::vector<Words> classes_;
  std::vector<std::vector<Alternative>> rules_;
  size_t memories_ = 0;
  double entropy_ = 0.0;
  double mean_symbols_ = 0.0;
  int64_t longest_ = 0;
};

}  // namespace mesita::training
