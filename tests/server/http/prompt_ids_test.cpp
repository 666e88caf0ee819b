#include "server/http/prompt_ids.h"

#include <gtest/gtest.h>

#include <chrono>

#include "server/http/api_error.h"
#include "tests/server/http/served_models.h"

namespace mesita::http {
namespace {

const ModelEntry& model(const std::string& id) {
  return *testing::served_registry().find(id);
}

/// {status, param} of the refusal, {0, ""} without one.
std::pair<int, std::string> refusal(const std::string& id, const Prompt& prompt,
                                    int64_t max_tokens = 16) {
  CompletionRequest request;
  request.max_tokens = max_tokens;
  try {
    prompt_ids(model(id), prompt, request);
  } catch (const ApiError& error) {
    return {error.status(), error.param()};
  }
  return {0, ""};
}

const std::pair<int, std::string> kFine{0, ""};
const std::pair<int, std::string> kRefused{400, "prompt"};

TEST(PromptIds, StringsGetTheDocumentStartAndIdsDoNot) {
  const PromptIds text = prompt_ids(model("story"), "the table", {});
  EXPECT_EQ(text.ids[0], 1);
  EXPECT_EQ(text.hidden, 1u);
  EXPECT_EQ(text.visible(), model("story").model().tokenizer->encode("the table"));
  const PromptIds ids = prompt_ids(model("story"), std::vector<int32_t>{5, 6}, {});
  EXPECT_EQ(ids.ids, (std::vector<int32_t>{5, 6}));
  EXPECT_EQ(ids.hidden, 0u);
}

TEST(PromptIds, AnEmptyStringIsTheStartOfADocument) {
  EXPECT_EQ(prompt_ids(model("story"), "", {}).ids, std::vector<int32_t>{1});
  EXPECT_EQ(refusal("ids", ""), kRefused) << "no text, no start";
}

TEST(PromptIds, IdsMustBeOfTheVocabulary) {
  EXPECT_EQ(refusal("ids", std::vector<int32_t>{49}), kFine);
  EXPECT_EQ(refusal("ids", std::vector<int32_t>{50}), kRefused);
  EXPECT_EQ(refusal("ids", std::vector<int32_t>{2'000'000'000}), kRefused);
}

TEST(PromptIds, TheContextIsTheBound) {
  const auto ids = [](size_t count) { return std::vector<int32_t>(count, 3); };
  EXPECT_EQ(refusal("ids", ids(15), 1000), kFine) << "generation just ends at the context";
  EXPECT_EQ(refusal("ids", ids(16), 1), kFine) << "the token after a full window";
  EXPECT_EQ(refusal("ids", ids(16), 0), kFine);
  EXPECT_EQ(refusal("ids", ids(16), 2), kRefused);
  EXPECT_EQ(refusal("ids", ids(17), 0), kRefused);
  CompletionRequest request;
  try {
    prompt_ids(model("ids"), ids(20), request);
    FAIL();
  } catch (const ApiError& error) {
    const Json body = error.body()["error"];
    EXPECT_EQ(body["type"], "exceed_context_size_error");
    EXPECT_EQ(body["n_prompt_tokens"], 20);
    EXPECT_EQ(body["n_ctx"], 16);
  }
}

TEST(PromptIds, TextThatTheTokenizerRefusesIs400) {
  EXPECT_EQ(refusal("run", "a b zebra"), kRefused) << "an unknown symbol";
  EXPECT_EQ(refusal("ids", "text"), kRefused);
  EXPECT_EQ(refusal("story", "\xF0\x9F"), kRefused) << "a fragment of a character";
  EXPECT_EQ(refusal("story", std::string("a\0b", 3)), kFine);
}

TEST(PromptIds, NamesOfSpecialTokensAreTextUnlessAsked) {
  CompletionRequest request;
  const auto plain = prompt_ids(model("story"), "a</s>b", request).visible();
  EXPECT_EQ(std::count(plain.begin(), plain.end(), 2), 0);
  EXPECT_EQ(model("story").model().tokenizer->decode(plain), "a</s>b");
  request.parse_special = true;
  const auto parsed = prompt_ids(model("story"), "a</s>b</s>", request).visible();
  EXPECT_EQ(std::count(parsed.begin(), parsed.end(), 2), 2);
  EXPECT_EQ(model("story").model().tokenizer->decode(parsed), "ab");
}

TEST(PromptIds, LogitBiasMustNameIdsOfTheVocabulary) {
  inference::SamplingOptions sampling;
  sampling.logit_bias = {{49, 1.0}};
  EXPECT_NO_THROW(check_sampling(model("ids"), sampling));
  sampling.logit_bias = {{50, 1.0}};
  try {
    check_sampling(model("ids"), sampling);
    FAIL();
  } catch (const ApiError& error) {
    EXPECT_EQ(error.param(), "logit_bias");
  }
}

TEST(PromptIds, AnEmptyPromptNeedsAStartAndNoText) {
  ModelEntry entry;
  entry.id = "ids";
  entry.handle = testing::tiny_handle(tokenizer::make_idless_tokenizer(20), {.document_start = 3});
  EXPECT_EQ(prompt_ids(entry, "", {}).ids, std::vector<int32_t>{3});
  EXPECT_THROW(prompt_ids(entry, "text", {}), ApiError);
}

TEST(PromptIds, SpansOfSpecialTokensCoverTheirNames) {
  const auto spans = [](const std::string& id, const std::string& text) {
    std::vector<std::string> parts;
    size_t at = 0;
    for (const auto& span : encode_spans(model(id), text, SpecialNames::tokens, "texts")) {
      EXPECT_EQ(span.begin, at) << text;
      at = span.end;
      parts.push_back(std::to_string(span.id) + ":" +
                      text.substr(span.begin, span.end - span.begin));
    }
    EXPECT_EQ(at, text.size()) << text;
    return parts;
  };
  using Parts = std::vector<std::string>;
  EXPECT_EQ(spans("run", "<s> a b </s>"), (Parts{"0:<s>", "2: a", "3: b ", "1:</s>"}));
  EXPECT_EQ(spans("run", " <s> </s> "), (Parts{"0: <s>", "1: </s> "}));
  EXPECT_EQ(spans("story", "</s><s></s>"), (Parts{"2:</s>", "1:<s>", "2:</s>"}));
  EXPECT_EQ(spans("story", ""), Parts{});
  spans("story", "the <s>table</s> é<unk");
}

TEST(PromptIds, TheLongestNameAtAPlaceWinsAndNamesDoNotOverlap) {
  ModelEntry entry;
  entry.handle = model("story").handle;
  entry.specials = {{"<a", 5}, {"<a>", 6}, {"><", 7}, {"<b", 8}};
  EXPECT_EQ(encode_text(entry, "<a><b<a<a>", SpecialNames::tokens, "prompt"),
            (std::vector<int32_t>{6, 8, 5, 6}));
}

TEST(PromptIds, ManyNamesTakeTimeInProportion) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "<s>";
  const auto begin = std::chrono::steady_clock::now();
  const auto ids = encode_text(model("story"), text, SpecialNames::tokens, "prompt");
  EXPECT_EQ(ids, std::vector<int32_t>(100'000, 1));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5))
      << "milliseconds, when the text is not searched again at every name";
}

}  // namespace
}  // namespace mesita::http
