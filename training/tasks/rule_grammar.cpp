#include "training/tasks/rule_grammar.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "model/kernels/seeded_normal.h"
#include "training/tasks/rule_grammar_builder.h"

namespace mesita::training {

RuleGrammar::RuleGrammar(const std::vector<WordClass>& classes,
                         const std::vector<GrammarRule>& rules) {
  RuleGrammarBuilder(*this, classes, rules).build();
}

// Expands the first rule from the left. The chooser decides: alternative(rule) -> number,
// word(class) -> id; and is shown every symbol that the derivation gives: symbol(id).
template <typename Chooser>
void RuleGrammar::derive(Chooser& chooser) const {
  std::vector<int32_t> remembered(memories_, kUnknown);
  std::vector<Item> pending{{ItemKind::rule, 0, 0}};
  while (!pending.empty()) {
    const Item item = pending.back();
    pending.pop_back();
    switch (item.kind) {
      case ItemKind::rule: {
        const auto& items = rules_[item.index][chooser.alternative(rules_[item.index])].items;
        pending.insert(pending.end(), items.rbegin(), items.rend());
        break;
      }
      case ItemKind::draw:
        remembered[item.memory] = chooser.word(classes_[item.index]);
        chooser.symbol(remembered[item.memory]);
        break;
      case ItemKind::recall:
        chooser.symbol(remembered[item.index]);
        break;
      case ItemKind::word:
        chooser.symbol(static_cast<int32_t>(item.index));
        break;
    }
  }
  chooser.symbol(kEnd);
}

std::vector<int32_t> RuleGrammar::document(uint64_t seed, uint64_t index) const {
  struct Drawer {
    uint64_t seed, index;
    uint64_t choices = 0;
    std::vector<int32_t> ids{kStart};

    double uniform() { return kernels::seeded_uniform(seed, index, choices++); }
    size_t alternative(const std::vector<Alternative>& alternatives) {
      double left = uniform();
      size_t i = 0;
      while (i + 1 < alternatives.size() && left >= alternatives[i].probability)
        left -= alternatives[i++].probability;
      return i;
    }
    int32_t word(const Words& words) {
      double left = uniform();
      size_t i = 0;
      while (i + 1 < words.ids.size() && left >= words.probabilities[i])
        left -= words.probabilities[i++];
      return words.ids[i];
    }
    void symbol(int32_t id) { ids.push_back(id); }
  } drawer{seed, index};
  derive(drawer);
  return std::move(drawer.ids);
}

std::vector<double> RuleGrammar::surprisals(std::span<const int32_t> document) const {
  struct Reader {
    const RuleGrammar& grammar;
    std::span<const int32_t> ids;
    std::vector<double> nats{};  // of the symbols read
    size_t next = 1;
    double pending = 0.0;  // nats of choices that the next symbol reveals

    [[noreturn]] void refuse() const {
      const bool known = next < ids.size() && ids[next] >= 0 &&
                         static_cast<size_t>(ids[next]) < grammar.symbols_.size();
      throw std::invalid_argument(
          "the grammar does not generate this document: symbol " + std::to_string(next) +
          (next >= ids.size() ? " is missing"
                              : " is '" +
                                    (known ? grammar.symbols_[static_cast<size_t>(ids[next])]
                                           : std::to_string(ids[next])) +
                                    "'"));
    }
    size_t alternative(const std::vector<Alternative>& alternatives) {
      for (size_t i = 0; i < alternatives.size() && next < ids.size(); ++i) {
        const auto& first = alternatives[i].first;
        if (std::find(first.begin(), first.end(), ids[next]) == first.end()) continue;
        pending -= std::log(alternatives[i].probability);
        return i;
      }
      refuse();
    }
    int32_t word(const Words& words) {
      for (size_t i = 0; i < words.ids.size() && next < ids.size(); ++i) {
        if (words.ids[i] != ids[next]) continue;
        pending -= std::log(words.probabilities[i]);
        return ids[next];
      }
      refuse();
    }
    void symbol(int32_t id) {
      if (next >= ids.size() || ids[next] != id) refuse();
      nats.push_back(pending);
      pending = 0.0;
      ++next;
    }
  } reader{*this, document};
  if (document.empty() || document[0] != kStart)
    throw std::invalid_argument("a document of the grammar begins with <s>");
  derive(reader);
  if (reader.next != document.size())
    throw std::invalid_argument("the document goes on after its end");
  return std::move(reader.nats);
}

}  // namespace mesita::training
