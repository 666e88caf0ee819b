#include "training/step_flops.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace mesita::training {
namespace {

const model::ModelConfig kConfig{
    .vocabulary = 11, .context = 6, .width = 8, .layers = 2, .heads = 2, .feed_forward = 20};

TEST(StepFlops, AreThoseThatPyTorchCounts) {
  std::ifstream file(MESITA_SOURCE_DIR "/tests/golden/step_flops.txt");
  std::string line;
  int cases = 0;
  while (std::getline(file, line)) {
    if (line.starts_with('#')) continue;
    std::istringstream fields(line);
    std::string position, tied, roles;
    int64_t forward = 0, backward = 0, attention_forward = 0, attention_backward = 0;
    fields >> position >> tied >> roles >> forward >> backward >> attention_forward >>
        attention_backward;
    ASSERT_FALSE(fields.fail()) << line;
    model::ModelConfig config = kConfig;
    config.position = position == "none" ? model::PositionKind::none : model::PositionKind::learned;
    config.tied_unembedding = tied == "tied";
    const StepFlops flops = step_flops(config, model::trained_roles(roles), 3, 6);
    EXPECT_EQ(flops.forward, forward) << line;
    EXPECT_EQ(flops.activation_gradients + flops.weight_gradients, backward) << line;
    // Of T x T pairs the causal mask leaves T (T + 1) / 2.
    EXPECT_EQ(2 * 6 * flops.attention_forward, 7 * attention_forward) << line;
    EXPECT_EQ(2 * 6 * flops.attention_backward, 7 * attention_backward) << line;
    ++cases;
  }
  EXPECT_GT(cases, 50);
}

// Three positions, so products of [3, 4] with queries and keys [4, 8], values [4, 4], output [4,
// 4], up [4, 8] and down [8, 4] are 192, 96, 96, 192 and 192 operations, 768 in a block; the
// unembedding [4, 5] has 120. One product of attention has 6 pairs of positions: 48 operations.
TEST(StepFlops, AreThoseCountedByHand) {
  model::ModelConfig config{
      .vocabulary = 5, .context = 3, .width = 4, .layers = 2, .heads = 2, .feed_forward = 8};
  struct Case {
    const char* trained;
    int64_t activation_gradients, weight_gradients, attention_backward;
  };
  const Case cases[] = {
      {"all", 2 * 768 + 120, 2 * 768 + 120, 8 * 48},
      {"embeddings", 2 * 768 + 120, 120, 8 * 48},
      {"input_embeddings", 2 * 768 + 120, 0, 8 * 48},
      {"token_and_unembedding", 2 * 768 + 120, 120, 8 * 48},
      {"interior", 2 * 768 + 120, 2 * 768, 8 * 48},
      // Below the lowest trained tensor nothing wants a gradient: of the first block only what
      // comes after that.
      {"attention", 480 + 768 + 120, 2 * 384, 8 * 48},
      {"query_key", 480 + 768 + 120, 2 * 192, (3 + 4) * 48},
      {"value", 480 + 768 + 120, 2 * 96, (1 + 4) * 48},
      {"attention_output", 384 + 768 + 120, 2 * 96, 4 * 48},
      {"feed_forward", 192 + 768 + 120, 2 * 384, 4 * 48},
      {"norm", 2 * 768 + 120, 0, 8 * 48},
      {"unembedding", 0, 120, 0},
  };
  for (const Case& each : cases) {
    const StepFlops flops = step_flops(config, model::trained_roles(each.trained), 1, 3);
    EXPECT_EQ(flops.forward, 2 * 768 + 120) << each.trained;
    EXPECT_EQ(flops.activation_gradients, each.activation_gradients) << each.trained;
    EXPECT_EQ(flops.weight_gradients, each.weight_gradients) << each.trained;
    EXPECT_EQ(flops.attention_forward, 4 * 48) << each.trained;
    EXPECT_EQ(flops.attention_backward, each.attention_backward) << each.trained;
  }
  config.tied_unembedding = true;
  const StepFlops tied = step_flops(config, model::trained_roles("token_embedding"), 1, 3);
  EXPECT_EQ(tied.activation_gradients, 2 * 768 + 120);
  EXPECT_EQ(tied.weight_gradients, 120);
}

TEST(StepFlops, AreSixPerParameterAndTokenWhereAllIsTrained) {
  const model::ModelConfig config{.vocabulary = 50,
                                  .context = 1,
                                  .width = 1024,
                                  .layers = 3,
                                  .heads = 8,
                                  .feed_forward = 4096,
                                  .position = model::PositionKind::none};
  const StepFlops flops = step_flops(config, model::trained_roles("all"), 10, 1);
  const double products =
      static_cast<double>(flops.total() - flops.attention_forward - flops.attention_backward);
  const double matrices = 3.0 * 12 * 1024 * 1024 + 50 * 1024;
  EXPECT_DOUBLE_EQ(products, 6 * matrices * 10);
}

TEST(StepFlops, OfTheUnembeddingAloneHaveNoBackwardThroughTheBlocks) {
  const StepFlops flops = step_flops(kConfig, model::trained_roles("unembedding"), 3, 6);
  EXPECT_EQ(flops.activation_gradients, 0);
  EXPECT_EQ(flops.attention_backward, 0);
  EXPECT_EQ(flops.weight_gradients, 2 * 18 * 8 * 11);
}

}  // namespace
}  // namespace mesita::training
