#include "model/config.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>

#include "tests/support/message.h"

namespace mesita::model {
namespace {

using mesita::testing::contains;
using mesita::testing::message_of;

TEST(Config, DefaultIsValid) {
  EXPECT_NO_THROW(validate(ModelConfig{}));
  EXPECT_EQ(ModelConfig{}.head_width(), 64);
}

struct Wrong {
  const char* field;  // that the message must name
  std::function<void(ModelConfig&)> change;
};

TEST(Config, ImpossibleSizesAreRefusedByName) {
  const int64_t most = std::numeric_limits<int64_t>::max();
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<Wrong> wrongs = {
      {"vocabulary", [](auto& c) { c.vocabulary = 0; }},
      {"vocabulary", [](auto& c) { c.vocabulary = -5; }},
      {"vocabulary x width", [=](auto& c) { c.vocabulary = most; }},
      {"vocabulary x width", [](auto& c) { c.vocabulary = (int64_t{1} << 23) + 1; }},
      {"context", [](auto& c) { c.context = 0; }},
      {"context x width", [=](auto& c) { c.context = most; }},
      {"width", [](auto& c) { c.width = 0; }},
      {"x width", [=](auto& c) { c.width = most; }},
      {"width x 2 width", [](auto& c) { c.width = 1 << 16, c.vocabulary = c.context = 1; }},
      {"layers", [](auto& c) { c.layers = 0; }},
      {"layers", [=](auto& c) { c.layers = most; }},
      {"heads", [](auto& c) { c.heads = 0; }},
      {"heads", [](auto& c) { c.heads = -4; }},
      {"heads", [](auto& c) { c.heads = 3; }},
      {"heads", [](auto& c) { c.heads = 512; }},
      {"feed_forward", [](auto& c) { c.feed_forward = 0; }},
      {"feed_forward x width", [=](auto& c) { c.feed_forward = most; }},
      {"norm_epsilon", [](auto& c) { c.norm_epsilon = 0; }},
      {"norm_epsilon", [](auto& c) { c.norm_epsilon = std::nan(""); }},
      {"norm_epsilon", [=](auto& c) { c.norm_epsilon = infinity; }},
      {"rotary_base", [](auto& c) { c.rotary_base = -1; }},
  };
  for (const Wrong& wrong : wrongs) {
    ModelConfig config;
    wrong.change(config);
    const std::string message = message_of<std::invalid_argument>([&] { validate(config); });
    EXPECT_TRUE(contains(message, wrong.field)) << wrong.field << ": " << message;
  }
}

TEST(Config, LargestTensorIsAllowed) {
  ModelConfig config;
  config.vocabulary = int64_t{1} << 23;  // x 256 = 2^31
  EXPECT_NO_THROW(validate(config));
}

TEST(Config, RotaryPositionsNeedAnEvenHeadWidth) {
  ModelConfig config;
  config.width = 12;
  config.heads = 4;
  EXPECT_NO_THROW(validate(config));
  config.position = PositionKind::rotary;
  EXPECT_TRUE(contains(message_of<std::invalid_argument>([&] { validate(config); }), "even"));
  config.heads = 6;
  EXPECT_NO_THROW(validate(config));
}

TEST(Config, NamesAndParsersAgree) {
  for (const PositionKind kind :
       {PositionKind::learned, PositionKind::rotary, PositionKind::none}) {
    EXPECT_EQ(position_kind(name_of(kind)), kind);
  }
  EXPECT_EQ(name_of(PositionKind::learned), "learned");
  EXPECT_EQ(name_of(PositionKind::rotary), "rotary");
  EXPECT_EQ(name_of(PositionKind::none), "none");
  EXPECT_EQ(mixer_kind("softmax"), MixerKind::softmax);
  EXPECT_EQ(name_of(MixerKind::softmax), "softmax");
}

TEST(Config, UnknownNamesListTheKnown) {
  const auto message = message_of<std::invalid_argument>([] { position_kind("sinus"); });
  for (const char* part : {"sinus", "learned", "rotary", "none"}) {
    EXPECT_TRUE(contains(message, part)) << message;
  }
  EXPECT_TRUE(contains(message_of<std::invalid_argument>([] { mixer_kind(""); }), "softmax"));
  EXPECT_THROW(name_of(static_cast<PositionKind>(9)), std::invalid_argument);
}

}  // namespace
}  // namespace mesita::model
