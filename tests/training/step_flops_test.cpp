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
