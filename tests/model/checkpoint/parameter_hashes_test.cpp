// frozen_hash and core_hash of model/checkpoint/checkpoint.h.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>
#include <stdexcept>
#include <utility>

#include "model/checkpoint/checkpoint.h"
#include "model/checkpoint/sha256.h"
#include "tests/support/files.h"
#include "tests/support/tiny_checkpoint.h"

namespace mesita::checkpoint {
namespace {

using mesita::testing::TinyCheckpoint;

std::string frozen(const TinyCheckpoint& tiny) {
  return frozen_hash(tiny.config, tiny.parameters);
}
std::string core(const TinyCheckpoint& tiny) {
  return core_hash(tiny.config, tiny.parameters);
}

TEST(FrozenHash, IsEmptyWhenNothingIsFrozen) {
  EXPECT_EQ(frozen(TinyCheckpoint("all")), "");
  // A frozen role without a tensor is nothing.
  TinyCheckpoint tiny(
      "token_embedding,query_key,value,attention_output,feed_forward,norm,unembedding");
  EXPECT_NE(frozen(tiny), "");
  tiny.config.model.position = model::PositionKind::rotary;
  tiny.draw();
  EXPECT_EQ(frozen(tiny), "");
}

TEST(FrozenHash, IsOverNamesShapesAndBits) {
  TinyCheckpoint tiny(
      "token_embedding,query_key,value,attention_output,feed_forward,norm,unembedding");
  Sha256 expected;
  expected.update("mesita frozen 1\ntensor position_embedding.weight 4 4\n");
  expected.update(std::as_bytes(std::span(tiny.parameters.at("position_embedding.weight").values)));
  EXPECT_EQ(frozen(tiny), expected.hex());
}

TEST(FrozenHash, TrainingDoesNotMoveItAndEveryFrozenBitDoes) {
  TinyCheckpoint tiny;
  const std::string before = frozen(tiny);
  tiny.parameters.at("token_embedding.weight").values[3] += 1.0F;
  EXPECT_EQ(frozen(tiny), before);
  for (const model::ParameterSpec& spec : model::parameter_specs(tiny.config.model)) {
    if (!model::is_interior(spec.role)) continue;
    float& last = tiny.parameters.at(spec.name).values.back();
    const float kept = last;
    last = kept == 0.0F ? -0.0F : std::nextafter(kept, 2.0F);
    EXPECT_NE(frozen(tiny), before) << spec.name;
    last = kept;
  }
  EXPECT_EQ(frozen(tiny), before);
}

// The hashes stand in checkpoints, so they may never change.
TEST(ParameterHashes, EqualTheIndependentImplementation) {
  const std::string golden =
      mesita::testing::read_file(MESITA_SOURCE_DIR "/tests/golden/parameter_hashes.txt");
  EXPECT_EQ(frozen(TinyCheckpoint()) + "\n" + core(TinyCheckpoint()) + "\n", golden);
}

TEST(CoreHash, IsEmptyUnlessTheInteriorIsWhollyFrozen) {
  EXPECT_EQ(core(TinyCheckpoint("all")), "");
  for (const char* role : {"query_key", "value", "attention_output", "feed_forward", "norm"}) {
    EXPECT_EQ(core(TinyCheckpoint("embeddings," + std::string(role))), "") << role;
  }
  for (const char* roles : {"token_embedding", "position_embedding", "unembedding", "embeddings"}) {
    EXPECT_NE(core(TinyCheckpoint(roles)), "") << roles;
  }
}

TEST(CoreHash, EmbeddingsAreNotPartOfIt) {
  const std::string expected = core(TinyCheckpoint());
  TinyCheckpoint tiny;
  for (const char* name :
       {"token_embedding.weight", "position_embedding.weight", "unembedding.weight"}) {
    for (float& value : tiny.parameters.at(name).values) value += 1.0F;
  }
  EXPECT_EQ(core(tiny), expected);
  EXPECT_EQ(core(TinyCheckpoint("unembedding")), expected);
  tiny.config.model.vocabulary = 9;
  tiny.config.model.context = 33;
  tiny.config.model.tied_unembedding = true;
  tiny.config.end.reset();
  tiny.config.storage = StorageType::bfloat16;
  tiny.config.trained_on = "something else";
  tiny.draw();
  EXPECT_EQ(core(tiny), expected);
}

TEST(CoreHash, EveryChoiceOfTheInteriorIsPartOfIt) {
  const std::string expected = core(TinyCheckpoint());
  const std::vector<std::function<void(model::ModelConfig&)>> changes = {
      [](auto& c) { c.norm_epsilon = 1e-6; },
      [](auto& c) { c.heads = 1; },
      [](auto& c) { c.position = model::PositionKind::none; },
      [](auto& c) { c.position = model::PositionKind::rotary; },
      [](auto& c) { c.width = 6; },
      [](auto& c) { c.layers = 2; },
      [](auto& c) { c.feed_forward = 7; },
  };
  std::set<std::string> hashes = {expected};
  for (size_t i = 0; i < changes.size(); ++i) {
    TinyCheckpoint tiny;
    changes[i](tiny.config.model);
    tiny.draw();
    EXPECT_TRUE(hashes.insert(core(tiny)).second) << "change " << i;
  }
  TinyCheckpoint rotary;
  rotary.config.model.position = model::PositionKind::rotary;
  rotary.config.model.rotary_base = 500.0;
  rotary.draw();
  EXPECT_TRUE(hashes.insert(core(rotary)).second) << "rotary base";
  // The rotary base of a model without rotary positions is nothing.
  TinyCheckpoint learned;
  learned.config.model.rotary_base = 500.0;
  EXPECT_EQ(core(learned), expected);
}

TEST(CoreHash, EveryInteriorTensorIsPartOfIt) {
  TinyCheckpoint tiny;
  const std::string before = core(tiny);
  for (const model::ParameterSpec& spec : model::parameter_specs(tiny.config.model)) {
    if (!model::is_interior(spec.role)) continue;
    for (const size_t i : {size_t{0}, static_cast<size_t>(spec.size()) - 1}) {
      float& value = tiny.parameters.at(spec.name).values[i];
      const float kept = std::exchange(value, value + 0.5F);
      EXPECT_NE(core(tiny), before) << spec.name << " " << i;
      value = kept;
    }
  }
}

TEST(ParameterHashes, MissingOrMisshapenTensorsAreTheCallersMistake) {
  TinyCheckpoint tiny;
  tiny.parameters.at("final_norm.bias").values.pop_back();
  EXPECT_THROW(frozen(tiny), std::invalid_argument);
  tiny.parameters.erase("final_norm.bias");
  EXPECT_THROW(core(tiny), std::invalid_argument);
}

}  // namespace
}  // namespace mesita::checkpoint
