#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mesita::training {

/// A set of documents in a mixture.
struct MixedSet {
  std::string name;
  int64_t tokens = 0;  // in all its documents
};

/// Decides which set gives the next document, so that tokens are shown in wanted proportions: the
/// set that lags most behind its share; the first of equals. Exact whole numbers, no randomness;
/// shares count in parts of 2^40, at least one for a set that is shown.
class SetMixture {
 public:
  /// A weight multiplies the share that a set has by its tokens: 2 shows it twice as often as its
  /// size gives, 0 never; 1 where none is given. Weights count in millionths. Throws
  /// std::invalid_argument for a name that no set has (it lists those there are), a name that two
  /// sets have, a weight outside 0 .. 1000 or below a millionth, and when no token would be shown.
  SetMixture(std::vector<MixedSet> sets, const std::map<std::string, double>& weights);

  /// Number of the set that gives the next document.
  size_t next() const;
  /// Counts a document of that set. Throws std::invalid_argument for a set that gives none, or a
  /// document without tokens.
  void count(size_t set, int64_t tokens);

  /// Tokens given so far, a number per set: "120:0:44".
  std::string cursor() const;
  /// Throws std::invalid_argument, and changes nothing, for a text that is no cursor of these sets.
  void seek(const std::string& cursor);

 private:
  std::vector<MixedSet> sets_;
  std::vector<int64_t> parts_;  // of all parts, as the set's share; 0: never shown
  std::vector<int64_t> given_;
  int64_t all_parts_ = 0;
  int64_t all_given_ = 0;
};

}  // namespace mesita::training
