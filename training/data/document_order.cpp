#include "training/data/document_order.h"

#include <cmath>
#include <stdexcept>
#include <string>

#include "model/kernels/seeded_normal.h"

namespace mesita::training {
namespace {

// With so many even tables of two rows and two columns take all 24 orders equally often.
constexpr uint32_t kOrderRounds = 16;

// Smallest number whose square is at least n; n < 2^63.
uint64_t order_root(uint64_t n) {
  auto root = static_cast<uint64_t>(std::sqrt(static_cast<double>(n)));
  while (root * root >= n && root > 0) --root;
  while (root * root < n) ++root;
  return root;
}

}  // namespace

DocumentOrder::DocumentOrder(uint64_t seed, std::string_view set, int64_t epoch, int64_t count)
    : seed_(seed), stream_(0), count_(static_cast<uint64_t>(count)), rows_(0), columns_(0) {
  if (count < 1) throw std::invalid_argument("an order needs at least one document");
  if (epoch < 0) throw std::invalid_argument("there is no epoch " + std::to_string(epoch));
  stream_ =
      kernels::stream_of("document order " + std::to_string(epoch) + " of " + std::string(set));
  rows_ = order_root(count_);
  columns_ = (count_ + rows_ - 1) / rows_;
}

int64_t DocumentOrder::at(int64_t place) const {
  if (static_cast<uint64_t>(place) >= count_) {  // negative places are huge here
    throw std::out_of_range("place " + std::to_string(place) + " in an order of " +
                            std::to_string(count_) + " documents");
  }
  uint64_t cell = turned(static_cast<uint64_t>(place));
  while (cell >= count_) cell = turned(cell);
  return static_cast<int64_t>(cell);
}

// Each round can be undone, so no two cells meet. Rows and columns are fewer than 2^32.
uint64_t DocumentOrder::turned(uint64_t cell) const {
  uint64_t row = cell / columns_;
  uint64_t column = cell % columns_;
  for (uint32_t round = 0; round < kOrderRounds; ++round) {
    const bool turns_row = round % 2 == 0;
    const auto words =
        kernels::philox({static_cast<uint32_t>(turns_row ? column : row), round,
                         static_cast<uint32_t>(stream_), static_cast<uint32_t>(stream_ >> 32)},
                        {static_cast<uint32_t>(seed_), static_cast<uint32_t>(seed_ >> 32)});
    const uint64_t random = uint64_t{words[1]} << 32 | words[0];
    if (turns_row)
      row = (row + random % rows_) % rows_;
    else
      column = (column + random % columns_) % columns_;
  }
  return row * columns_ + column;
}

}  // namespace mesita::training
