#include "server/evaluation/perplexity.h"

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/log_softmax.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <stdexcept>
#include <type_traits>

#include "tests/support/tiny_handle.h"
#include "tests/support/tiny_tokenizer.h"

namespace mesita::evaluation {
namespace {

std::shared_ptr<const tokenizer::Tokenizer> shared_tokenizer() {
  static const std::shared_ptr<const tokenizer::Tokenizer> tokenizer =
      testing::tiny_sentencepiece_tokenizer();
  return tokenizer;
}

// -log p of each token by the training path, in float64, each from a forward pass of its own over
// the ids before it that the window rule grants it: nothing of the code under test takes part.
std::vector<double> reference_nats(const ModelHandle& model, uint64_t seed,
                                   std::vector<int32_t> sequence, int64_t context, int64_t stride) {
  const auto twin = model::make_language_model(model.config.model,
                                               testing::tiny_parameters(model.config.model, seed));
  twin->to(at::kCPU, at::kDouble);
  at::set_num_threads(1);  // thousands of tiny products, on a machine that may be busy
  std::vector<int64_t> ids(sequence.begin(), sequence.end());
  std::vector<double> nats;
  for (int64_t i = 1; i < static_cast<int64_t>(ids.size()); ++i) {
    int64_t begin = 0;
    while (i >= begin + context) begin += stride;
    const at::Tensor input = at::from_blob(ids.data() + begin, {1, i - begin}, at::kLong);
    const at::Tensor logits = twin->forward(input)[0][i - begin - 1];
    nats.push_back(-at::log_softmax(logits, -1)[ids[static_cast<size_t>(i)]].item<double>());
  }
  return nats;
}

TEST(Perplexity, SumsEqualASlowComputationInFloat64) {
  const auto model = testing::tiny_handle(shared_tokenizer());
  for (const int sentences : {1, 3, 9}) {
    const std::string text = testing::tiny_text(sentences) + "\t🌵 ñandú";
    for (const ScoringOptions options :
         {ScoringOptions{}, ScoringOptions{.context = 8, .stride = 3}, ScoringOptions{.context = 2},
          ScoringOptions{.context = 16, .stride = 15}}) {
      const TextScore score = score_text(*model, text, options);
      const int64_t context = options.context == 0 ? 16 : options.context;
      const int64_t stride = options.stride == 0 ? context / 2 : options.stride;
      const std::vector<double> nats =
          reference_nats(*model, 1, encode_document(*model, text), context, stride);
      ASSERT_EQ(score.tokens.size(), nats.size());
      for (size_t i = 0; i < nats.size(); ++i) {
        ASSERT_NEAR(score.tokens[i].nats.value(), nats[i], 2e-5) << i;
      }
      EXPECT_NEAR(score.sums.nats, std::accumulate(nats.begin(), nats.end(), 0.0),
                  1e-5 * static_cast<double>(nats.size()));
      EXPECT_EQ(score.sums.scored_tokens, static_cast<int64_t>(nats.size()));
      EXPECT_EQ(score.sums.skipped_tokens, 0);
      EXPECT_EQ(score.sums.bytes, static_cast<int64_t>(text.size()));
    }
  }
}

TEST(Perplexity, WindowsOfAKnownText) {
  const auto model = testing::tiny_handle(shared_tokenizer(), {.context = 6});
  const std::string text = testing::tiny_text(2);
  const std::vector<int32_t> ids = model->tokenizer->encode(text);
  ASSERT_GE(ids.size(), 9U);
  const PreparedText prepared = prepare_text(*model, text, {.context = 4, .stride = 2});
  const Window& first = prepared.windows.at(0);
  EXPECT_EQ(prepared.input(first), (std::vector<int32_t>{1, ids[0], ids[1], ids[2]}));
  EXPECT_EQ(first.first_scored, 1);
  EXPECT_EQ(first.first_token, 0);
  const Window& second = prepared.windows.at(1);
  EXPECT_EQ(prepared.input(second), (std::vector<int32_t>{ids[1], ids[2], ids[3], ids[4]}));
  EXPECT_EQ(second.first_scored, 2);
  EXPECT_EQ(second.first_token, 3);
}

TEST(Perplexity, OverlappingWindowsHoldNoIdsOfTheirOwn) {
  static_assert(std::is_trivially_copyable_v<Window>);
  const auto model = testing::tiny_handle(shared_tokenizer(), {.context = 5000});
  const PreparedText prepared =
      prepare_ids(*model, std::vector<int32_t>(10'000, 5), {.context = 5000, .stride = 1});
  EXPECT_EQ(prepared.windows.size(), 5001U);
  EXPECT_EQ(prepared.sequence.size(), 10'000U);
  EXPECT_EQ(prepared.input(prepared.windows.back()).size(), 5000U);
}

TEST(Perplexity, SpansCoverTheTextInBytes) {
  const auto model = testing::tiny_handle(shared_tokenizer());
  const std::string text = "Olé 🌵\n\tñ“tea”\u2581 end";
  const TextScore score = score_text(*model, text, {.context = 0, .stride = 0, .score_end = true});
  size_t at = 0;
  for (const TokenScore& token : score.tokens) {
    EXPECT_EQ(token.begin, at);
    EXPECT_LE(token.begin, token.end);
    at = token.end;
  }
  EXPECT_EQ(at, text.size());
  EXPECT_EQ(score.tokens.back().id, 2);
  EXPECT_EQ(score.tokens.back().begin, text.size());
}

TEST(Perplexity, WithoutDocumentStartTheFirstTokenIsSkipped) {
  const auto model = testing::tiny_handle(shared_tokenizer(), {.document_start = std::nullopt});
  const std::string text = testing::tiny_text(5);
  const TextScore score = score_text(*model, text, {});
  EXPECT_FALSE(score.tokens.at(0).nats);
  EXPECT_EQ(score.sums.skipped_tokens, 1);
  EXPECT_EQ(score.sums.tokens, score.sums.scored_tokens + 1);
  const std::vector<double> nats = reference_nats(*model, 1, model->tokenizer->encode(text), 16, 8);
  ASSERT_EQ(score.tokens.size(), nats.size() + 1);
  for (size_t i = 0; i < nats.size(); ++i) {
    EXPECT_NEAR(score.tokens[i + 1].nats.value(), nats[i], 2e-5);
  }
}

TEST(Perplexity, EmptyAndTinyTexts) {
  const auto model = testing::tiny_handle(shared_tokenizer());
  const TextScore empty = score_text(*model, "", {});
  EXPECT_TRUE(empty.tokens.empty());
  EXPECT_EQ(empty.sums.tokens, 0);
  EXPECT_EQ(empty.sums.nats, 0.0);
  // The end after nothing has the start before it.
  const TextScore end = score_text(*model, "", {.context = 0, .stride = 0, .score_end = true});
  EXPECT_EQ(end.sums.scored_tokens, 1);
  EXPECT_NEAR(end.sums.nats, reference_nats(*model, 1, {1, 2}, 16, 8).at(0), 1e-5);

  const auto bare = testing::tiny_handle(shared_tokenizer(), {.document_start = std::nullopt});
  EXPECT_EQ(score_text(*bare, "", {}).sums.tokens, 0);
  const TextScore one = score_text(*bare, "a", {});
  EXPECT_EQ(one.sums.tokens, 1);
  EXPECT_EQ(one.sums.scored_tokens, 0);
  EXPECT_EQ(one.sums.skipped_tokens, 1);
}

TEST(Perplexity, IdsAreTakenAsTheyAre) {
  const auto model = testing::tiny_handle(shared_tokenizer());
  const std::vector<int32_t> ids = model->tokenizer->encode(testing::tiny_text(4));
  const TextScore score = score_prepared(*model, prepare_ids(*model, ids, {}));
  EXPECT_EQ(score.sums.skipped_tokens, 1) << "no document_start is added";
  EXPECT_EQ(score.sums.bytes, 0);
  EXPECT_EQ(score.sums.words, 0);
  // With the start in front it is the text.
  std::vector<int32_t> whole = ids;
  whole.insert(whole.begin(), 1);
  EXPECT_EQ(score_prepared(*model, prepare_ids(*model, whole, {})).sums.nats,
            score_text(*model, testing::tiny_text(4), {}).sums.nats);
  EXPECT_TRUE(prepare_ids(*model, {}, {}).windows.empty());
}

TEST(Perplexity, SymbolTokenizer) {
  const std::shared_ptr<const tokenizer::Tokenizer> symbols =
      tokenizer::make_symbol_tokenizer({"<s>", "</s>", "a", "bé", "c"}, {"<s>", "</s>"});
  const auto model = testing::tiny_handle(symbols, {.document_start = 0, .end = 1});
  const std::string text = "a bé c c a";
  const TextScore score = score_text(*model, text, {.context = 4, .stride = 1, .score_end = true});
  const std::vector<double> nats = reference_nats(*model, 1, {0, 2, 3, 4, 4, 2, 1}, 4, 1);
  ASSERT_EQ(score.tokens.size(), 6U);
  for (size_t i = 0; i < nats.size(); ++i) {
    EXPECT_NEAR(score.tokens[i].nats.value(), nats[i], 2e-5);
  }
  EXPECT_EQ(score.sums.words, 5);
  EXPECT_EQ(score.sums.bytes, 11);
  EXPECT_THROW(score_text(*model, "a unknown", {}), std::invalid_argument);
}

TEST(Perplexity, RefusesWhatIsOutOfRange) {
  const auto model = testing::tiny_handle(shared_tokenizer());
  const auto refused = [&](const ScoringOptions& options) {
    EXPECT_THROW(prepare_text(*model, "a text", options), std::invalid_argument);
    EXPECT_THROW(prepare_ids(*model, {}, options), std::invalid_argument) << "also for nothing";
  };
  refused({.context = 17});
  refused({.context = 1});
  refused({.context = -1});
  refused({.context = 8, .stride = 8});
  refused({.context = 8, .stride = -1});
  refused({.context = 0, .stride = 16});
  EXPECT_THROW(prepare_text(*model, "bad \xC3 bytes", {}), std::invalid_argument);
  EXPECT_THROW(prepare_ids(*model, {3, 320}, {}), std::invalid_argument);
  EXPECT_THROW(prepare_ids(*model, {-1}, {}), std::invalid_argument);
  const auto endless = testing::tiny_handle(shared_tokenizer(), {.end = std::nullopt});
  EXPECT_THROW(prepare_text(*endless, "a", {.context = 0, .stride = 0, .score_end = true}),
               std::invalid_argument);
}

TEST(Perplexity, EnteringScores) {
  const auto model = testing::tiny_handle(shared_tokenizer());
  PreparedText text = prepare_ids(*model, {5, 6, 7, 8, 9}, {.context = 4, .stride = 2});
  ASSERT_EQ(text.windows.size(), 2U);
  EXPECT_EQ(text.sums.skipped_tokens, 5);
  EXPECT_THROW(enter_scores(text, 0, {-1.0, -2.0}), std::invalid_argument) << "three are scored";
  EXPECT_THROW(enter_scores(text, 2, {-1.0}), std::invalid_argument);
  enter_scores(text, 1, {-0.5});
  enter_scores(text, 0, {-1.0, -2.0, -3.0});
  EXPECT_THROW(enter_scores(text, 1, {-0.5}), std::invalid_argument) << "entered before";
  EXPECT_FALSE(text.tokens[0].nats);
  EXPECT_EQ(text.tokens[1].nats, 1.0);
  EXPECT_EQ(text.tokens[3].nats, 3.0);
  EXPECT_EQ(text.tokens[4].nats, 0.5);
  EXPECT_EQ(text.sums.nats, 6.5);
  EXPECT_EQ(text.sums.scored_tokens, 4);
  EXPECT_EQ(text.sums.skipped_tokens, 1);
}

TEST(Perplexity, CanBeAbandonedBetweenWindows) {
  const auto model = testing::tiny_handle(shared_tokenizer());
  int calls = 0;
  const KeepGoing twice = [&calls] { return ++calls < 3; };
  EXPECT_THROW(score_text(*model, testing::tiny_text(20), {}, twice), Cancelled);
  EXPECT_EQ(calls, 3);
}

}  // namespace
}  // namespace mesita::evaluation
