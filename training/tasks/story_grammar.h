#pragma once

#include "training/tasks/rule_grammar.h"

namespace mesita::training {

/// The toy grammar of short stories that is trained on when no data is given: sixty words; a hero,
/// a friend and a home are named at the beginning and recalled later, found things are described
/// again in the next sentence. Its least loss is entropy_per_symbol().
const RuleGrammar& story_grammar();

}  // namespace mesita::training
