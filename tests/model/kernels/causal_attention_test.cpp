#include "model/kernels/causal_attention.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/model/kernels/instruction_sets.h"

namespace mesita::kernels {
namespace {

class CausalAttentionTest : public EveryInstructionSet {};

struct Sequence {
  Sequence(int64_t head_count, int64_t width_of_head, int64_t positions)
      : heads(head_count), head_width(width_of_head), state(heads, head_width) {
    const auto size = static_cast<size_t>(positions * heads * head_width);
    keys.resize(size);
    values.resize(size);
    query.resize(static_cast<size_t>(heads * head_width));
    seeded_normal(1, 1, keys);
    seeded_normal(1, 2, values);
    seeded_normal(1, 3, query);
    const auto row = static_cast<size_t>(heads * head_width);
    for (int64_t t = 0; t < positions; ++t) {
      const size_t at = static_cast<size_t>(t) * row;
      state.put(t, std::span(keys).subspan(at, row), std::span(values).subspan(at, row));
    }
  }

  std::vector<double> expected(int64_t head, int64_t length) const {
    std::vector<double> out(static_cast<size_t>(head_width));
    std::vector<double> scores;
    for (int64_t t = 0; t < length; ++t) {
      double score = 0;
      for (int64_t i = 0; i < head_width; ++i) {
        score += static_cast<double>(query[at(0, head, i)]) * keys[at(t, head, i)];
      }
      scores.push_back(score / std::sqrt(static_cast<double>(head_width)));
    }
    const double largest = *std::ranges::max_element(scores);
    double total = 0;
    for (double& score : scores) total += score = std::exp(score - largest);
    for (int64_t t = 0; t < length; ++t) {
      for (int64_t i = 0; i < head_width; ++i) {
        out[static_cast<size_t>(i)] +=
            scores[static_cast<size_t>(t)] / total * values[at(t, head, i)];
      }
    }
    return out;
  }

  std::vector<float> attend(int64_t head, int64_t length, InstructionSet set) const {
    const auto width = static_cast<size_t>(head_width);
    std::vector<float> scores(static_cast<size_t>(KeyValues::score_space(length)), NAN), out(width);
    state.attend(head, std::span(query).subspan(at(0, head, 0), width), length, scores, out, set);
    return out;
  }

  size_t at(int64_t t, int64_t head, int64_t i) const {
    return static_cast<size_t>((t * heads + head) * head_width + i);
  }

  int64_t heads, head_width;
  KeyValues state;
  std::vector<float> keys, values, query;
};

TEST_P(CausalAttentionTest, EqualsSoftmaxAttentionInFloat64) {
  for (const int64_t head_width : {1, 10, 16, 33, 64, 80, 130}) {
    const Sequence sequence(3, head_width, 100);
    for (const int64_t length : {1, 2, 15, 16, 17, 32, 33, 64, 99, 100}) {
      for (int64_t head = 0; head < 3; ++head) {
        const std::vector<double> expected = sequence.expected(head, length);
        const std::vector<float> out = sequence.attend(head, length, GetParam());
        for (size_t i = 0; i < out.size(); ++i) {
          ASSERT_NEAR(out[i], expected[i], 3e-6) << head_width << " " << length << " " << i;
        }
      }
    }
  }
}

TEST_P(CausalAttentionTest, LaterPositionsDoNotChangeABit) {
  const Sequence full(2, 24, 90), shorter(2, 24, 37);
  EXPECT_EQ(full.attend(1, 37, GetParam()), shorter.attend(1, 37, GetParam()));
}

TEST_P(CausalAttentionTest, LargeScoresDoNotOverflow) {
  Sequence sequence(1, 16, 40);
  for (float& value : sequence.query) value *= 1e4f;
  const std::vector<double> expected = sequence.expected(0, 40);
  const std::vector<float> out = sequence.attend(0, 40, GetParam());
  for (size_t i = 0; i < out.size(); ++i) EXPECT_NEAR(out[i], expected[i], 1e-4);
}

MESITA_EVERY_INSTRUCTION_SET(CausalAttentionTest);

TEST(KeyValues, BytesGrowByBlocks) {
  KeyValues state(2, 8);
  const std::vector<float> row(16, 1.0f);
  EXPECT_EQ(state.bytes(), 0);
  state.put(0, row, row);
  const int64_t block = state.bytes();
  EXPECT_GT(block, 0);
  for (int64_t t = 1; t < 32; ++t) state.put(t, row, row);
  EXPECT_EQ(state.bytes(), block);
  state.put(32, row, row);
  EXPECT_EQ(state.bytes(), 2 * block);
}

}  // namespace
}  // namespace mesita::kernels
