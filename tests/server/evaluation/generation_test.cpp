#include "server/evaluation/generation.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/tiny_handle.h"
#include "tests/support/tiny_tokenizer.h"

namespace mesita::evaluation {
namespace {

class GenerationTest : public ::testing::Test {
 protected:
  GenerationTest() {
    request_.prompt = "the table";
    request_.max_tokens = 20;
    request_.seed = 11;
  }

  static std::shared_ptr<const ModelHandle> model() {
    static const std::shared_ptr<const ModelHandle> handle =
        testing::tiny_handle(testing::tiny_sentencepiece_tokenizer(), {.context = 64});
    return handle;
  }

  GenerationRequest request_;
};

TEST_F(GenerationTest, StreamedTextIsTheResult) {
  request_.choices = 3;
  request_.max_tokens = 50;
  std::vector<std::string> streamed(3);
  const auto results = generate(*model(), request_, [&](int64_t choice, std::string_view text) {
    streamed.at(static_cast<size_t>(choice)) += text;
  });
  ASSERT_EQ(results.size(), 3U);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(results[i].text, streamed[i]);
  EXPECT_NE(results[0].text, results[1].text) << "choices draw different random numbers";
}

TEST_F(GenerationTest, SeedDecides) {
  const auto first = generate(*model(), request_).at(0);
  EXPECT_EQ(generate(*model(), request_).at(0).text, first.text);
  request_.choices = 2;
  EXPECT_EQ(generate(*model(), request_).at(0).text, first.text)
      << "choice 0 whatever else is drawn";
  request_.seed = 12;
  EXPECT_NE(generate(*model(), request_).at(0).text, first.text);
}

TEST_F(GenerationTest, StopStringEndsBeforeIt) {
  const std::string whole = generate(*model(), request_).at(0).text;
  ASSERT_GT(whole.size(), 6U);
  request_.stop = {whole.substr(5, 1)};
  const Generation cut = generate(*model(), request_).at(0);
  EXPECT_EQ(cut.text, whole.substr(0, whole.find(request_.stop[0])));
  EXPECT_EQ(cut.finish_reason, "stop");
}

TEST_F(GenerationTest, EndOfDocumentAndLength) {
  request_.sampling.logit_bias[2] = 100.0;
  const Generation ended = generate(*model(), request_).at(0);
  EXPECT_EQ(ended.text, "");
  EXPECT_EQ(ended.finish_reason, "stop");
  EXPECT_EQ(ended.tokens, 1);

  request_.sampling.logit_bias[2] = -100.0;
  const Generation long_one = generate(*model(), request_).at(0);
  EXPECT_EQ(long_one.finish_reason, "length");
  EXPECT_EQ(long_one.tokens, 20);

  request_.max_tokens = 1000;
  const Generation full = generate(*model(), request_).at(0);
  EXPECT_EQ(full.finish_reason, "length");
  const auto prompt = static_cast<int64_t>(encode_document(*model(), *request_.prompt).size());
  EXPECT_EQ(full.tokens, 64 - prompt + 1) << "the last from a full window";
}

TEST_F(GenerationTest, WithoutPromptADocumentBegins) {
  request_.prompt.reset();
  EXPECT_EQ(generate(*model(), request_).size(), 1U);
  const auto bare = testing::tiny_handle(model()->tokenizer, {.document_start = std::nullopt});
  EXPECT_THROW(generate(*bare, request_), std::invalid_argument);
  request_.prompt = "a";
  EXPECT_EQ(generate(*bare, request_).size(), 1U);
}

TEST_F(GenerationTest, WithoutPromptAModelWithoutTextBegins) {
  const std::shared_ptr<const tokenizer::Tokenizer> idless = tokenizer::make_idless_tokenizer(40);
  const auto model = testing::tiny_handle(idless, {.end = std::nullopt});
  request_.prompt.reset();
  request_.max_tokens = 5;
  EXPECT_EQ(generate(*model, request_).at(0).tokens, 5);
  request_.prompt = "";
  EXPECT_EQ(generate(*model, request_).at(0).tokens, 5);
  request_.prompt = "text";
  EXPECT_THROW(generate(*model, request_), std::invalid_argument);
}

TEST_F(GenerationTest, GreedyIsTheSameForEveryChoice) {
  request_.sampling.temperature = 0;
  request_.choices = 2;
  const auto results = generate(*model(), request_);
  EXPECT_EQ(results[0].text, results[1].text);
}

TEST_F(GenerationTest, RefusesWhatIsOutOfRange) {
  const auto refused = [this](auto change) {
    GenerationRequest request = request_;
    change(request);
    EXPECT_THROW(generate(*model(), request), std::invalid_argument);
  };
  refused([](GenerationRequest& r) { r.choices = 0; });
  refused([](GenerationRequest& r) { r.max_tokens = -1; });
  refused([](GenerationRequest& r) { r.sampling.top_p = 0; });
  refused([](GenerationRequest& r) { r.sampling.temperature = -1; });
  refused([](GenerationRequest& r) { r.prompt = "\xFF"; });
  refused([](GenerationRequest& r) { r.prompt = testing::tiny_text(40); });
}

}  // namespace
}  // namespace mesita::evaluation
