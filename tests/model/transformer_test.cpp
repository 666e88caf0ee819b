#include "model/transformer.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/support/tiny_model.h"

namespace mesita::model {
namespace {

using testing::random_ids;
using testing::tiny_config;
using testing::tiny_model;

/// The variants whose two ways must agree.
std::vector<ModelConfig> variants() {
  std::vector<ModelConfig> all;
  for (const PositionKind position :
       {PositionKind::learned, PositionKind::rotary, PositionKind::none}) {
    for (const bool tied : {false, true}) {
      all.push_back(tiny_config());
      all.back().position = position;
      all.back().tied_unembedding = tied;
    }
  }
  return all;
}

/// One row of a batch, int64 [1, time].
at::Tensor ids_tensor(const std::vector<int32_t>& ids) {
  return at::tensor(std::vector<int64_t>(ids.begin(), ids.end())).unsqueeze(0);
}

class Ways : public ::testing::TestWithParam<ModelConfig> {};

/// Appends ids to a sequence in pieces of the given sizes; returns hidden vectors and logits.
std::vector<float> advance_alone(const LanguageModel& model, std::span<const int32_t> ids,
                                 std::vector<int64_t> pieces) {
  SequenceState sequence = model.new_sequence();
  const auto width = static_cast<size_t>(model.config().width);
  std::vector<float> hidden(ids.size() * width);
  size_t done = 0;
  for (size_t piece = 0; done < ids.size(); ++piece) {
    const size_t rows =
        std::min(ids.size() - done, static_cast<size_t>(pieces[piece % pieces.size()]));
    const RowSegment segment{&sequence, 0, static_cast<int64_t>(rows)};
    model.advance({&segment, 1}, ids.subspan(done, rows),
                  std::span(hidden).subspan(done * width, rows * width));
    done += rows;
  }
  EXPECT_EQ(sequence.length, static_cast<int64_t>(ids.size()));
  std::vector<float> logits(ids.size() * static_cast<size_t>(model.config().vocabulary));
  model.logits(hidden, logits);
  hidden.insert(hidden.end(), logits.begin(), logits.end());
  return hidden;
}

TEST_P(Ways, AdvancingEqualsTheForwardPass) {
  const auto model = tiny_model(GetParam());
  const std::vector<int32_t> ids = random_ids(GetParam().context, GetParam().vocabulary, 3);
  const at::Tensor batch = at::tensor(std::vector<int64_t>(ids.begin(), ids.end())).unsqueeze(0);
  const at::Tensor hidden = model->hidden(batch, {}).detach().contiguous().view(-1);
  const at::Tensor logits = model->forward(batch).detach().contiguous().view(-1);
  const std::vector<float> rows = advance_alone(*model, ids, {7});
  ASSERT_EQ(static_cast<int64_t>(rows.size()), hidden.numel() + logits.numel());
  for (int64_t i = 0; i < hidden.numel(); ++i) {
    ASSERT_NEAR(rows[static_cast<size_t>(i)], hidden.const_data_ptr<float>()[i], 2e-5) << i;
  }
  for (int64_t i = 0; i < logits.numel(); ++i) {
    ASSERT_NEAR(rows[static_cast<size_t>(hidden.numel() + i)], logits.const_data_ptr<float>()[i],
                1e-4)
        << i;
  }
}

TEST_P(Ways, SegmentationDoesNotChangeABit) {
  const auto model = tiny_model(GetParam());
  const std::vector<int32_t> ids = random_ids(GetParam().context, GetParam().vocabulary, 4);
  const std::vector<float> whole = advance_alone(*model, ids, {GetParam().context});
  EXPECT_EQ(advance_alone(*model, ids, {1}), whole);
  EXPECT_EQ(advance_alone(*model, ids, {2, 1, 9, 5}), whole);
  EXPECT_EQ(advance_alone(*model, ids, {33}), whole);
}

TEST_P(Ways, NeighboursAndThreadsDoNotChangeABit) {
  const ModelConfig& config = GetParam();
  const auto model = tiny_model(config);
  const auto width = static_cast<size_t>(config.width);
  const std::vector<int32_t> ids = random_ids(30, config.vocabulary, 5);
  const std::vector<float> alone = advance_alone(*model, ids, {1});
  const int threads = at::get_num_threads();
  for (const int count : {1, 2}) {
    at::set_num_threads(count);
    for (const size_t neighbours : {1, 2, 6, 7, 8, 20}) {
      // Sequences before and after ours, each with a prompt of another length.
      std::vector<SequenceState> states(neighbours + 1);
      for (SequenceState& state : states) state = model->new_sequence();
      const size_t ours = neighbours / 2;
      std::vector<float> hidden;
      size_t done = 0;
      for (uint64_t turn = 0; done < ids.size(); ++turn) {
        std::vector<RowSegment> segments;
        std::vector<int32_t> batch;
        const size_t pieces = std::min<size_t>(turn == 0 ? 11 : 1, ids.size() - done);
        for (size_t i = 0; i < states.size(); ++i) {
          const size_t rows = i == ours ? pieces : turn == 0 ? 1 + i % 5 : 1;
          segments.push_back(
              {&states[i], static_cast<int64_t>(batch.size()), static_cast<int64_t>(rows)});
          const std::vector<int32_t> others =
              random_ids(static_cast<int64_t>(rows), config.vocabulary, 1000 * turn + i);
          const auto next = ids.begin() + static_cast<int64_t>(done);
          if (i == ours) batch.insert(batch.end(), next, next + static_cast<int64_t>(rows));
          if (i != ours) batch.insert(batch.end(), others.begin(), others.end());
        }
        std::vector<float> rows(batch.size() * width);
        model->advance(segments, batch, rows);
        const auto first = rows.begin() + segments[ours].first_row * config.width;
        hidden.insert(hidden.end(), first, first + static_cast<int64_t>(pieces * width));
        done += pieces;
      }
      EXPECT_TRUE(std::equal(hidden.begin(), hidden.end(), alone.begin()))
          << neighbours << " neighbours, " << count << " threads";
    }
  }
  at::set_num_threads(threads);
}

INSTANTIATE_TEST_SUITE_P(Variants, Ways, ::testing::ValuesIn(variants()), [](const auto& variant) {
  return std::string(name_of(variant.param.position)) +
         (variant.param.tied_unembedding ? "_tied" : "");
});

TEST(Transformer, WideProductsOnTwoThreadsHaveTheSameBits) {
  // Wide enough for products to be shared out over threads.
  ModelConfig config = tiny_config();
  config.width = 136;
  config.feed_forward = 520;
  config.vocabulary = 1003;
  const auto model = tiny_model(config);
  const std::vector<int32_t> ids = random_ids(40, config.vocabulary, 5);
  const int threads = at::get_num_threads();
  at::set_num_threads(1);
  const std::vector<float> one = advance_alone(*model, ids, {40});
  at::set_num_threads(2);
  EXPECT_EQ(advance_alone(*model, ids, {40}), one);
  EXPECT_EQ(advance_alone(*model, ids, {3, 1}), one);
  at::set_num_threads(threads);
}

TEST(Transformer, RefusedRowsLeaveSequencesUnchanged) {
  const auto model = tiny_model();
  const ModelConfig& config = model->config();
  SequenceState sequence = model->new_sequence();
  const auto advance = [&](std::vector<int32_t> ids, std::vector<RowSegment> segments) {
    std::vector<float> hidden(ids.size() * static_cast<size_t>(config.width));
    model->advance(segments, ids, hidden);
  };
  advance({1, 2}, {{&sequence, 0, 2}});
  EXPECT_THROW(advance({3, 61}, {{&sequence, 0, 2}}), std::invalid_argument);
  EXPECT_THROW(advance({-1}, {{&sequence, 0, 1}}), std::invalid_argument);
  EXPECT_THROW(advance(random_ids(47, 61, 1), {{&sequence, 0, 47}}), std::invalid_argument);
  EXPECT_THROW(advance({1, 2}, {{&sequence, 0, 1}, {&sequence, 1, 1}}), std::invalid_argument);
  EXPECT_THROW(advance({1, 2}, {{&sequence, 0, 1}}), std::invalid_argument);
  EXPECT_THROW(advance({1}, {{&sequence, 1, 1}}), std::invalid_argument);
  EXPECT_EQ(sequence.length, 2);
  advance(random_ids(46, 61, 1), {{&sequence, 0, 46}});
  EXPECT_EQ(sequence.length, config.context);
}

TEST(Transformer, StateGrowsInBlocks) {
  const auto model = tiny_model();
  SequenceState sequence = model->new_sequence();
  EXPECT_EQ(sequence.layers.size(), 2u);
  EXPECT_EQ(sequence.layers[0]->bytes(), 0);
  std::vector<float> hidden(40);
  const int32_t id = 5;
  const RowSegment segment{&sequence, 0, 1};
  std::set<int64_t> sizes;
  for (int i = 0; i < 48; ++i) {
    model->advance({&segment, 1}, {&id, 1}, hidden);
    sizes.insert(sequence.layers[1]->bytes());
  }
  EXPECT_EQ(sizes.size(), 2u);  // two blocks of 32 positions
}

TEST(Transformer, AdvanceNeedsPreparation) {
  const auto model = make_language_model(tiny_config(), parameter_arrays(*tiny_model()));
  SequenceState sequence = model->new_sequence();
  const RowSegment segment{&sequence, 0, 1};
  const int32_t id = 0;
  std::vector<float> hidden(40);
  EXPECT_THROW(model->advance({&segment, 1}, {&id, 1}, hidden), std::invalid_argument);
}

TEST(Transformer, PreparingAgainTakesChangedWeights) {
  const auto model = tiny_model();
  const std::vector<int32_t> ids = {1, 2, 3};
  const std::vector<float> before = advance_alone(*model, ids, {3});
  for (const auto& [name, parameter] : model->named_parameters()) {
    parameter.data().mul_(0.5);
  }
  EXPECT_EQ(advance_alone(*model, ids, {3}), before);  // not prepared again: a copy
  model->prepare_inference();
  EXPECT_NE(advance_alone(*model, ids, {3}), before);
}

TEST(Transformer, RefusesIdsBeyondTheContext) {
  const auto model = tiny_model();
  EXPECT_THROW(model->hidden(at::tensor(std::vector<int64_t>(49, 1)).unsqueeze(0), {}),
               std::invalid_argument);
  EXPECT_THROW(model->hidden(at::tensor(std::vector<int64_t>(4, 1)), {}), std::invalid_argument);
  EXPECT_THROW(model->hidden(at::tensor(std::vector<float>(4, 1)).unsqueeze(0), {}),
               std::invalid_argument);
}

TEST(Transformer, NothingCrossesFromOneDocumentToTheNext) {
  for (const PositionKind position :
       {PositionKind::learned, PositionKind::rotary, PositionKind::none}) {
    ModelConfig config = testing::tiny_config();
    config.position = position;
    const auto model = testing::tiny_model(config);
    const at::Tensor first = ids_tensor(testing::random_ids(9, config.vocabulary, 1)),
                     second = ids_tensor(testing::random_ids(14, config.vocabulary, 2));
    const at::Tensor row = at::cat({first, second}, 1);
    std::vector<int64_t> begins(9, 0);
    begins.insert(begins.end(), 14, 9);
    const at::Tensor starts = at::tensor(begins).unsqueeze(0);
    const at::Tensor together = model->hidden(row, starts);
    const at::Tensor apart = at::cat({model->hidden(first, {}), model->hidden(second, {})}, 1);
    EXPECT_LT((together - apart).abs().max().item<float>(), 2e-5F);
    EXPECT_GT((model->hidden(row, {}) - apart).abs().max().item<float>(), 1e-2F);
    EXPECT_THROW(model->hidden(row, starts.narrow(1, 0, 5)), std::invalid_argument);
  }
}

}  // namespace
}  // namespace mesita::model
