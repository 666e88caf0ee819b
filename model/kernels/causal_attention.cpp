#include "model/kernels/causal_attention.h"

#include <cmath>
#include <limits>

#include "model/kernels/lanes.h"

namespace mesita::kernels {
namespace {

constexpr int64_t kBlock = KeyValues::kBlock;

/// One head of a query and where its keys and values lie.
struct Query {
  const AlignedArray* blocks;
  int64_t length;
  int64_t keys, values;  // offsets of the head in a block
  int64_t head_width, padded_width;
  const float* query;
  float* scores;
  float* out;
};

/// scores[0 .. kBlock) of one block: two registers of positions, each with two sums, over even and
/// over odd components, to keep the multipliers busy.
template <int kWidth>
MESITA_INLINE void score_block(const Query& q, const float* keys, float scale, float* scores) {
  Lanes<kWidth> sums[2][2] = {};
  int64_t d = 0;
  for (; d + 2 <= q.head_width; d += 2) {
    for (int odd = 0; odd < 2; ++odd) {
      const float component = q.query[d + odd];
      for (int half = 0; half < 2; ++half) {
        sums[odd][half] += component * load<kWidth>(keys + (d + odd) * kBlock + half * kLanes);
      }
    }
  }
  if (d < q.head_width) {
    for (int half = 0; half < 2; ++half) {
      sums[0][half] += q.query[d] * load<kWidth>(keys + d * kBlock + half * kLanes);
    }
  }
  for (int half = 0; half < 2; ++half) {
    store<kWidth>(scores + half * kLanes, (sums[0][half] + sums[1][half]) * scale);
  }
}

/// Turns scores into e^(score - largest), zero from `length` on, and returns their sum.
template <int kWidth>
MESITA_INLINE float weights_of(float* scores, int64_t length) {
  constexpr float kNothing = -std::numeric_limits<float>::infinity();
  Lanes<kWidth> largest = broadcast<kWidth>(kNothing);
  for (int64_t t = 0; t < length; t += kLanes) {
    Lanes<kWidth> part = load<kWidth>(scores + t);
    if (t + kLanes > length) {
      part = first_lanes<kWidth>(part, length - t, kNothing);
      store<kWidth>(scores + t, part);
    }
    largest = larger(largest, part);
  }
  const float top = maximum<kWidth>(largest);
  Lanes<kWidth> total = {};
  for (int64_t t = 0; t < length; t += kLanes) {
    const Lanes<kWidth> part = load<kWidth>(scores + t);
    const Lanes<kWidth> weight =
        zero_below(part, std::numeric_limits<float>::lowest(), exponential<kWidth>(part - top));
    store<kWidth>(scores + t, weight);
    total += weight;
  }
  return sum<kWidth>(total);
}

/// kParts registers of the output, over all positions in order.
template <int kParts, int kWidth>
MESITA_INLINE void mix_values(const Query& q, int64_t first, float scale) {
  Lanes<kWidth> sums[kParts] = {};
  for (int64_t t = 0; t < q.length; ++t) {
    const float* value = q.blocks[t / kBlock].data() + q.values + t % kBlock * q.padded_width;
    for (int i = 0; i < kParts; ++i)
      sums[i] += q.scores[t] * load<kWidth>(value + first + i * kLanes);
  }
  for (int i = 0; i < kParts; ++i) {
    const int64_t at = first + i * kLanes;
    store_first<kWidth>(q.out + at, sums[i] * scale, q.head_width - at);
  }
}

template <int kWidth>
MESITA_INLINE void attend_query(Query q) {
  const float scale = 1.0f / std::sqrt(static_cast<float>(q.head_width));
  for (int64_t t = 0; t < q.length; t += kBlock) {
    score_block<kWidth>(q, q.blocks[t / kBlock].data() + q.keys, scale, q.scores + t);
  }
  const float share = 1.0f / weights_of<kWidth>(q.scores, q.length);
  int64_t first = 0;
  for (; first + 4 * kLanes <= q.padded_width; first += 4 * kLanes)
    mix_values<4, kWidth>(q, first, share);
  for (; first < q.padded_width; first += kLanes) mix_values<1, kWidth>(q, first, share);
}

}  // namespace

KeyValues::KeyValues(int64_t heads, int64_t head_width)
    : heads_(heads),
      head_width_(head_width),
      padded_width_((head_width + kLanes - 1) / kLanes * kLanes) {}

void KeyValues::put(int64_t position, std::span<const float> key, std::span<const float> value) {
  const auto block = static_cast<size_t>(position / kBlock);
  const int64_t slot = position % kBlock;
  const int64_t keys = heads_ * head_width_ * kBlock;
  while (blocks_.size() <= block) blocks_.emplace_back(keys + heads_ * kBlock * padded_width_);
  float* data = blocks_[block].data();
  for (int64_t i = 0; i < heads_ * head_width_; ++i) data[i * kBlock + slot] = key[i];
  for (int64_t head = 0; head < heads_; ++head) {
    std::memcpy(data + keys + (head * kBlock + slot) * padded_width_,
                value.data() + head * head_width_,
                static_cast<size_t>(head_width_) * sizeof(float));
  }
}

void KeyValues::attend(int64_t head, std::span<const float> query, int64_t length,
                       std::span<float> scores, std::span<float> out, InstructionSet set) const {
  MESITA_CALL(attend_query, set,
              Query{.blocks = blocks_.data(),
                    .length = length,
                    .keys = head * head_width_ * kBlock,
                    .values = heads_ * head_width_ * kBlock + head * kBlock * padded_width_,
                    .head_width = head_width_,
                    .padded_width = padded_width_,
                    .query = query.data(),
                    .scores = scores.data(),
                    .out = out.data()});
}

int64_t KeyValues::bytes() const {
  int64_t total = 0;
  for (const AlignedArray& block : blocks_) {
    total += block.size() * static_cast<int64_t>(sizeof(float));
  }
  return total;
}

}  // namespace mesita::kernels
