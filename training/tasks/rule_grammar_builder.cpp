#include "training/tasks/rule_grammar_builder.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace mesita::training {

RuleGrammarBuilder::RuleGrammarBuilder(RuleGrammar& grammar, const std::vector<WordClass>& classes,
                                       const std::vector<GrammarRule>& rules)
    : grammar_(grammar), class_texts_(classes), rule_texts_(rules) {}

void RuleGrammarBuilder::refuse(const std::string& rule, const std::string& message) {
  throw std::invalid_argument("grammar, '" + rule + "': " + message);
}

void RuleGrammarBuilder::build() {
  grammar_.symbols_ = {"<unk>", "<s>", "</s>"};
  read_classes();
  if (rule_texts_.empty()) refuse("", "no rules");
  for (size_t i = 0; i < rule_texts_.size(); ++i) {
    if (!rule_numbers_.emplace(rule_texts_[i].name, i).second)
      refuse(rule_texts_[i].name, "this rule is defined twice");
  }
  grammar_.rules_.resize(rule_texts_.size());
  for (size_t i = 0; i < rule_texts_.size(); ++i) read_rule(i);
  for (size_t i = 0; i < rule_texts_.size(); ++i) first_words(i);
  check_memories(0, {});
  const Sums& whole = sums(0);
  grammar_.memories_ = memory_numbers_.size();
  grammar_.entropy_ = whole.entropy;
  grammar_.mean_symbols_ = whole.symbols + 1.0;  // the end
  grammar_.longest_ = whole.longest + 2;         // start and end
}

int32_t RuleGrammarBuilder::word_id(const std::string& word) {
  const auto [found, added] = ids_.emplace(word, static_cast<int32_t>(grammar_.symbols_.size()));
  if (added) grammar_.symbols_.push_back(word);
  return found->second;
}

void RuleGrammarBuilder::read_classes() {
  for (const WordClass& text : class_texts_) {
    if (!class_numbers_.emplace(text.name, grammar_.classes_.size()).second)
      refuse(text.name, "this class is defined twice");
    RuleGrammar::Words words;
    double total = 0.0;
    for (const auto& [word, weight] : text.words) {
      if (!(weight > 0)) refuse(text.name, "the weight of '" + word + "' must be positive");
      const int32_t id = word_id(word);
      if (std::find(words.ids.begin(), words.ids.end(), id) != words.ids.end())
        refuse(text.name, "'" + word + "' stands in it twice");
      words.ids.push_back(id);
      words.probabilities.push_back(weight);
      total += weight;
    }
    if (words.ids.empty()) refuse(text.name, "a class without words");
    for (double& probability : words.probabilities) probability /= total;
    grammar_.classes_.push_back(std::move(words));
  }
}

void RuleGrammarBuilder::read_rule(size_t rule) {
  const GrammarRule& text = rule_texts_[rule];
  if (text.alternatives.empty()) refuse(text.name, "a rule without alternatives");
  double total = 0.0;
  for (const auto& [weight, items] : text.alternatives) {
    if (!(weight > 0)) refuse(text.name, "weights must be positive");
    RuleGrammar::Alternative alternative{.probability = weight, .items = {}, .first = {}};
    std::istringstream stream(items);
    for (std::string item; stream >> item;) alternative.items.push_back(read_item(item, text.name));
    if (alternative.items.empty()) refuse(text.name, "an empty alternative");
    total += weight;
    grammar_.rules_[rule].push_back(std::move(alternative));
  }
  for (auto& alternative : grammar_.rules_[rule]) alternative.probability /= total;
}

RuleGrammar::Item RuleGrammarBuilder::read_item(const std::string& item, const std::string& rule) {
  const auto memory = [&](const std::string& name) {
    return memory_numbers_.emplace(name, memory_numbers_.size()).first->second;
  };
  if (item.starts_with('<') && item.ends_with('>')) {
    const auto found = rule_numbers_.find(item.substr(1, item.size() - 2));
    if (found == rule_numbers_.end()) refuse(rule, "there is no rule " + item);
    return {Kind::rule, found->second, 0};
  }
  if (item.starts_with('$')) return {Kind::recall, memory(item.substr(1)), 0};
  if (const size_t colon = item.find(':'); colon != item.npos) {
    const auto found = class_numbers_.find(item.substr(colon + 1));
    if (found == class_numbers_.end()) refuse(rule, "there is no class for '" + item + "'");
    const size_t place = memory(item.substr(0, colon));
    if (memory_class_.emplace(place, found->second).first->second != found->second)
      refuse(rule, "'" + item + "': this name is drawn from another class elsewhere");
    return {Kind::draw, found->second, place};
  }
  return {Kind::word, static_cast<size_t>(word_id(item)), 0};
}

const std::set<int32_t>& RuleGrammarBuilder::first_words(size_t rule) {
  if (const auto found = first_words_.find(rule); found != first_words_.end()) return found->second;
  const std::string& name = rule_texts_[rule].name;
  if (!open_.insert(rule).second) refuse(name, "this rule reaches itself");
  std::set<int32_t> all;
  for (auto& alternative : grammar_.rules_[rule]) {
    // Recursion anywhere in the alternative is noticed here, not only at its beginning.
    for (const auto& item : alternative.items) {
      if (item.kind == Kind::rule) first_words(item.index);
      if (item.kind == Kind::recall && !memory_class_.contains(item.index))
        refuse(name, "a word is recalled that no rule draws");
    }
    const auto& begin = alternative.items.front();
    if (begin.kind == Kind::word) {
      alternative.first = {static_cast<int32_t>(begin.index)};
    } else if (begin.kind == Kind::rule) {
      const auto& inner = first_words(begin.index);
      alternative.first.assign(inner.begin(), inner.end());
    } else {
      const size_t words = begin.kind == Kind::draw ? begin.index : memory_class_.at(begin.index);
      alternative.first = grammar_.classes_[words].ids;
    }
    for (int32_t id : alternative.first) {
      if (!all.insert(id).second)
        refuse(name, "two alternatives may begin with '" + grammar_.symbols_[id] + "'");
    }
  }
  open_.erase(rule);
  return first_words_[rule] = std::move(all);
}

std::set<size_t> RuleGrammarBuilder::check_memories(size_t rule, std::set<size_t> drawn) const {
  std::set<size_t> after;  // what every alternative leaves drawn
  bool first = true;
  for (const auto& alternative : grammar_.rules_[rule]) {
    std::set<size_t> now = drawn;
    for (const auto& item : alternative.items) {
      if (item.kind == Kind::draw) now.insert(item.memory);
      if (item.kind == Kind::recall && !now.contains(item.index))
        refuse(rule_texts_[rule].name, "a word may be recalled before it is drawn");
      if (item.kind == Kind::rule) now = check_memories(item.index, now);
    }
    if (first) {
      after = now;
    } else {
      std::set<size_t> both;
      std::set_intersection(after.begin(), after.end(), now.begin(), now.end(),
                            std::inserter(both, both.begin()));
      after = both;
    }
    first = false;
  }
  return after;
}

const RuleGrammarBuilder::Sums& RuleGrammarBuilder::sums(size_t rule) {
  if (const auto found = sums_.find(rule); found != sums_.end()) return found->second;
  Sums total;
  for (const auto& alternative : grammar_.rules_[rule]) {
    Sums one;
    one.entropy = -std::log(alternative.probability);
    for (const auto& item : alternative.items) {
      if (item.kind == Kind::rule) {
        const Sums& inner = sums(item.index);
        one.entropy += inner.entropy;
        one.symbols += inner.symbols;
        one.longest += inner.longest;
        continue;
      }
      one.symbols += 1.0;
      one.longest += 1;
      if (item.kind != Kind::draw) continue;
      for (double p : grammar_.classes_[item.index].probabilities) one.entropy -= p * std::log(p);
    }
    total.entropy += alternative.probability * one.entropy;
    total.symbols += alternative.probability * one.symbols;
    total.longest = std::max(total.longest, one.longest);
  }
  return sums_[rule] = total;
}

}  // namespace mesita::training
