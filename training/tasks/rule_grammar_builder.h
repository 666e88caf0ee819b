#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "training/tasks/rule_grammar.h"

namespace mesita::training {

/// Turns the notation of GrammarRule into numbers and proves what RuleGrammar promises: bounded,
/// unambiguous, nothing recalled before it is drawn.
class RuleGrammarBuilder {
 public:
  RuleGrammarBuilder(RuleGrammar& grammar, const std::vector<WordClass>& classes,
                     const std::vector<GrammarRule>& rules);

  void build();

 private:
  using Kind = RuleGrammar::ItemKind;

  struct Sums {
    double entropy = 0.0;
    double symbols = 0.0;
    int64_t longest = 0;
  };

  int32_t word_id(const std::string& word);
  void read_classes();
  void read_rule(size_t rule);
  RuleGrammar::Item read_item(const std::string& item, const std::string& rule);
  const std::set<int32_t>& first_words(size_t rule);
  std::set<size_t> check_memories(size_t rule, std::set<size_t> drawn) const;
  const Sums& sums(size_t rule);
  [[noreturn]] static void refuse(const std::string& rule, const std::string& message);

  RuleGrammar& grammar_;
  const std::vector<WordClass>& class_texts_;
  const std::vector<GrammarRule>& rule_texts_;
  std::map<std::string, int32_t> ids_;
  std::map<std::string, size_t> class_numbers_, rule_numbers_, memory_numbers_;
  std::map<size_t, size_t> memory_class_;
  std::map<size_t, std::set<int32_t>> first_words_;
  std::map<size_t, Sums> sums_;
  std::set<size_t> open_;  // rules being expanded, to notice recursion
};

}  // namespace mesita::training
