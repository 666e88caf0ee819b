#pragma once

#include <cstdint>
#include <string_view>

namespace mesita::training {

/// A shuffled order of the numbers 0 .. count-1 that takes no memory: a pure function of (seed,
/// set, epoch, count), the same on every machine.
///
/// The numbers are laid out as a table of about sqrt(count) rows and columns. Rounds turn the row
/// by an amount that the column decides, and the other way round (a Feistel network on modular sums
/// with Philox as round function); numbers that fall into the last, unused cells are sent on until
/// they fall into a used one (cycle walking, fewer than two rounds on average).
class DocumentOrder {
 public:
  /// `set`: name of the documents, so that two sets of one size are shuffled differently. Throws
  /// std::invalid_argument when count is less than one or the epoch is negative.
  DocumentOrder(uint64_t seed, std::string_view set, int64_t epoch, int64_t count);

  /// The number at a place. Throws std::out_of_range outside 0 .. count-1.
  int64_t at(int64_t place) const;

 private:
  uint64_t turned(uint64_t cell) const;

  uint64_t seed_;
  uint64_t stream_;
  uint64_t count_;
  uint64_t rows_;
  uint64_t columns_;
};

}  // namespace mesita::training
