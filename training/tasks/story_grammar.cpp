#include "training/tasks/story_grammar.h"

namespace mesita::training {

const RuleGrammar& story_grammar() {
  static const RuleGrammar grammar(
      {
          {"name",
           {{"tom", 4},
            {"lily", 4},
            {"ben", 3},
            {"mia", 3},
            {"sam", 2},
            {"anna", 2},
            {"max", 1},
            {"lucy", 1}}},
          {"animal", {{"dog", 3}, {"cat", 3}, {"bird", 2}, {"frog", 2}, {"fox", 1}, {"bear", 1}}},
          {"guest", {{"king", 3}, {"queen", 2}, {"witch", 2}, {"giant", 1}}},
          {"thing",
           {{"ball", 4},
            {"hat", 3},
            {"kite", 3},
            {"book", 2},
            {"box", 2},
            {"cake", 2},
            {"drum", 1},
            {"key", 1}}},
          {"look", {{"big", 3}, {"small", 3}, {"red", 2}, {"blue", 2}, {"old", 1}}},
          {"home", {{"house", 3}, {"barn", 2}, {"cave", 2}, {"hut", 1}}},
          {"place", {{"park", 3}, {"garden", 3}, {"forest", 2}, {"lake", 1}}},
      },
      {
          {"story", {{1, "once hero:name lived in a home:home with a friend:animal . <first>"}}},
          {"first", {{1, "one day <event> <second>"}}},
          {"second", {{6, "then <event> <third>"}, {4, "<ending>"}}},
          {"third", {{4, "later <event> <ending>"}, {6, "<ending>"}}},
          {"event", {{7, "$hero <deed>"}, {3, "a guest:guest came to their $home . <visit>"}}},
          {"deed",
           {{6, "found a look:look object:thing . <found>"},
            {4, "went to the away:place . it was look:look ."}}},
          {"found", {{5, "$hero <kept>"}, {5, "the $friend took that $look $object ."}}},
          {"kept",
           {{5, "gave that $look $object to the $friend ."}, {5, "hid that $look $object ."}}},
          {"visit",
           {{5, "the $friend liked this $guest ."}, {5, "$hero was happy to see this $guest ."}}},
          {"ending",
           {{5, "at last $hero and the $friend slept in their $home ."},
            {5, "so $hero was happy with the $friend ."}}},
      });
  return grammar;
}

}  // namespace mesita::training
