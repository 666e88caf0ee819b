#include "training/samples.h"

#include <gtest/gtest.h>

#include "tests/support/tiny_model.h"

namespace mesita::training {
namespace {

std::unique_ptr<tokenizer::Tokenizer> letters(int64_t vocabulary) {
  std::vector<std::string> symbols{"<unk>", "<s>", "</s>"};
  while (static_cast<int64_t>(symbols.size()) < vocabulary)
    symbols.push_back("w" + std::to_string(symbols.size()));
  return tokenizer::make_symbol_tokenizer(symbols, {"<unk>", "<s>", "</s>"});
}

RunConfig config_with(std::vector<std::string> prompts) {
  RunConfig config;
  config.model = testing::tiny_config();
  config.samples.prompts = std::move(prompts);
  config.samples.tokens = 5;
  return config;
}

TEST(Samples, ContinueEveryPromptTheSameWayEachTime) {
  const auto model = testing::tiny_model();
  const auto tokenizer = letters(testing::tiny_config().vocabulary);
  const RunConfig config = config_with({"", "w3 w4", "w3 w4"});
  const auto a = draw_samples(model, *tokenizer, 1, std::nullopt, config);
  const auto b = draw_samples(model, *tokenizer, 1, std::nullopt, config);
  ASSERT_EQ(a.size(), 3u);
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].text, b[i].text);
    EXPECT_FALSE(a[i].text.empty());
    EXPECT_EQ(a[i].prompt, config.samples.prompts[i]);
  }
  EXPECT_NE(a[1].text, a[2].text) << "choices of one prompt must differ";
}

TEST(Samples, OfIdsAloneThereAreNoneUnlessAskedFor) {
  const auto model = testing::tiny_model();
  const auto tokenizer = tokenizer::make_idless_tokenizer(testing::tiny_config().vocabulary);
  EXPECT_NO_THROW(check_prompts(*tokenizer, std::nullopt, config_with({""})));
  EXPECT_TRUE(draw_samples(model, *tokenizer, std::nullopt, 3, config_with({""})).empty());
  EXPECT_ANY_THROW(check_prompts(*tokenizer, std::nullopt, config_with({"w3"})));
}

TEST(Samples, RefusePromptsThatCannotBeContinued) {
  const auto tokenizer = letters(testing::tiny_config().vocabulary);
  EXPECT_NO_THROW(check_prompts(*tokenizer, 1, config_with({"", "w3"})));
  EXPECT_THROW(check_prompts(*tokenizer, std::nullopt, config_with({""})), std::invalid_argument);
  EXPECT_THROW(check_prompts(*tokenizer, 1, config_with({"unheard-of"})), std::invalid_argument);
  std::string longest = "w3";
  for (int64_t i = 2; i < testing::tiny_config().context; ++i) longest += " w3";
  EXPECT_THROW(check_prompts(*tokenizer, 1, config_with({longest})), std::invalid_argument);
  EXPECT_NO_THROW(check_prompts(*tokenizer, std::nullopt, config_with({longest})));
}

}  // namespace
}  // namespace mesita::training
