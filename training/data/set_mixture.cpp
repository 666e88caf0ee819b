#include "training/data/set_mixture.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <stdexcept>
#include <utility>

namespace mesita::training {
namespace {

__extension__ typedef __int128 MixtureWide;

constexpr int64_t kMillion = 1000000;
constexpr double kLargestWeight = 1000;
constexpr int64_t kParts = int64_t{1} << 40;
constexpr int64_t kMostGiven = int64_t{1} << 62;  // leaves room to go on
constexpr int64_t kMostTokens = int64_t{1}
                                << 50;  // a share is below 2^80, and below 2^120 as parts

int64_t weight_in_millionths(const std::string& name, double weight) {
  if (!(weight >= 0) || weight > kLargestWeight) {
    throw std::invalid_argument("the weight of set '" + name + "' is " + std::to_string(weight) +
                                "; it must be between 0 and 1000");
  }
  const int64_t millionths = std::llround(weight * static_cast<double>(kMillion));
  if (weight > 0 && millionths == 0) {
    throw std::invalid_argument("the weight of set '" + name +
                                "' is below a millionth; use 0 to leave the set out");
  }
  return millionths;
}

std::string mixture_names(const std::vector<MixedSet>& sets) {
  std::string names;
  for (const MixedSet& set : sets) names += (names.empty() ? "" : ", ") + set.name;
  return names;
}

}  // namespace

SetMixture::SetMixture(std::vector<MixedSet> sets, const std::map<std::string, double>& weights)
    : sets_(std::move(sets)), parts_(sets_.size(), 0), given_(sets_.size(), 0) {
  std::set<std::string> known;
  for (const MixedSet& set : sets_) {
    if (!known.insert(set.name).second)
      throw std::invalid_argument("two sets are called '" + set.name + "'");
    if (set.tokens < 0 || set.tokens > kMostTokens)
      throw std::invalid_argument("set '" + set.name + "' cannot have " +
                                  std::to_string(set.tokens) + " tokens");
  }
  for (const auto& [name, weight] : weights) {
    if (!known.contains(name)) {
      throw std::invalid_argument("there is no set '" + name + "' to weight; the sets are " +
                                  mixture_names(sets_));
    }
  }
  std::vector<MixtureWide> shares;
  MixtureWide all = 0;
  for (const MixedSet& set : sets_) {
    const auto weight = weights.find(set.name);
    const int64_t millionths =
        weight == weights.end() ? kMillion : weight_in_millionths(set.name, weight->second);
    shares.push_back(MixtureWide{set.tokens} * millionths);
    all += shares.back();
  }
  if (all == 0) throw std::invalid_argument("the weights leave no tokens to train on");
  for (size_t i = 0; i < sets_.size(); ++i) {
    if (shares[i] == 0) continue;
    parts_[i] = std::max<int64_t>(1, static_cast<int64_t>(shares[i] * kParts / all));
    all_parts_ += parts_[i];
  }
}

size_t SetMixture::next() const {
  size_t best = sets_.size();
  MixtureWide most = 0;
  for (size_t i = 0; i < sets_.size(); ++i) {
    if (parts_[i] == 0) continue;
    const MixtureWide deficit =
        MixtureWide{parts_[i]} * all_given_ - MixtureWide{given_[i]} * all_parts_;
    if (best == sets_.size() || deficit > most) {
      best = i;
      most = deficit;
    }
  }
  return best;
}

void SetMixture::count(size_t set, int64_t tokens) {
  if (set >= sets_.size() || parts_[set] == 0)
    throw std::invalid_argument("set number " + std::to_string(set) + " gives no documents");
  if (tokens < 1) throw std::invalid_argument("a document needs at least one token");
  given_[set] += tokens;
  all_given_ += tokens;
}

std::string SetMixture::cursor() const {
  std::string text;
  for (size_t i = 0; i < given_.size(); ++i)
    text += (i == 0 ? "" : ":") + std::to_string(given_[i]);
  return text;
}

void SetMixture::seek(const std::string& cursor) {
  const auto refuse = [&] {
    throw std::invalid_argument("'" + cursor + "' is no place in a mixture of the sets " +
                                mixture_names(sets_));
  };
  std::vector<int64_t> given;
  int64_t all = 0;
  const char* at = cursor.data();
  const char* const end = at + cursor.size();
  for (size_t i = 0; i < sets_.size(); ++i) {
    if (i > 0 && (at == end || *at++ != ':')) refuse();
    int64_t tokens = 0;
    const auto [rest, error] = std::from_chars(at, end, tokens);
    if (error != std::errc() || tokens < 0 || (parts_[i] == 0 && tokens != 0) ||
        tokens > kMostGiven - all)
      refuse();
    all += tokens;
    given.push_back(tokens);
    at = rest;
  }
  if (at != end) refuse();
  given_ = std::move(given);
  all_given_ = all;
}

}  // namespace mesita::training
