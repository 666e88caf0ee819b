#include "training/field_reader.h"

#include <gtest/gtest.h>

namespace mesita::training {
namespace {

TEST(NearestName, FindsTheSmallestEditDistance) {
  const std::vector<std::string> names{"width", "heads", "layers"};
  EXPECT_EQ(nearest_name("widht", names), "width");
  EXPECT_EQ(nearest_name("layer", names), "layers");
  EXPECT_EQ(nearest_name("", names), "width");
  EXPECT_EQ(nearest_name("anything", {}), "");
}

TEST(FieldReader, OverridesReplaceTheDocument) {
  RunConfig config;
  FieldReader reader(config);
  reader.read_document(R"({"seed": 3, "threads": 5})");
  reader.read_override({"seed", "4"});
  reader.assign(config);
  EXPECT_EQ(config.seed, 4);
  EXPECT_EQ(config.threads, 5);
}

TEST(FieldReader, LeavesTheConfigAloneUntilAssigned) {
  RunConfig config;
  const int64_t seed = config.seed;
  FieldReader reader(config);
  reader.read_document(R"({"seed": 99})");
  EXPECT_EQ(config.seed, seed);
}

TEST(FieldReader, DashesAndUnderscoresAreTheSame) {
  RunConfig config;
  FieldReader reader(config);
  reader.read_override({"optimizer.weight-decay", "0.5"});
  reader.assign(config);
  EXPECT_DOUBLE_EQ(config.optimizer.weight_decay, 0.5);
}

}  // namespace
}  // namespace mesita::training
