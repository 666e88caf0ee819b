#include "model/layers/embedding.h"

#include <ATen/ops/tensor.h>

#include "tests/model/layers/layer_values.h"

namespace mesita::layers {
namespace {

TEST(Embedding, LooksUpRows) {
  Embedding embedding(7, 5);
  draw_parameters(embedding);
  embedding.prepare_inference();
  const at::Tensor looked_up = embedding.forward(at::tensor(std::vector<int64_t>{6, 0, 6}));
  for (const auto& [place, index] : {std::pair{0, 6}, {1, 0}, {2, 6}}) {
    EXPECT_TRUE(looked_up[place].equal(embedding.weight()[index]));
    expect_near(embedding.row(index), looked_up[place], 0.0);
  }
}

TEST(Embedding, FirstEntriesAreThoseOfTheFirstPositions) {
  Embedding embedding(7, 5);
  draw_parameters(embedding);
  EXPECT_TRUE(embedding.first(3, 2).equal(embedding.weight().narrow(0, 0, 3)));
}

}  // namespace
}  // namespace mesita::layers
