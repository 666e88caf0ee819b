#include "server/http/completion_json.h"

#include <gtest/gtest.h>

namespace mesita::http {
namespace {

const CompletionHeader kHeader{"cmpl-1", 1700000000, "tiny", "mesita-0-abc", 42};

ChoiceDelta delta_with_entries() {
  ChoiceDelta delta;
  delta.text = "ab";
  delta.tokens = 2;
  delta.entries = {{"a", 0, {std::nullopt, {}}}, {"b", 1, {-0.1, {{"b", -0.1}, {"c", -2.5}}}}};
  return delta;
}

TEST(CompletionJson, WholeAnswerHasOpenAisShape) {
  ChoiceDelta choice;
  choice.text = "hello";
  choice.finish_reason = "stop";
  const Json json = completion_json(kHeader, {choice, choice}, false, {3, 7});
  EXPECT_EQ(json["object"], "text_completion");
  EXPECT_EQ(json["created"], 1700000000);
  EXPECT_EQ(json["system_fingerprint"], "mesita-0-abc");
  ASSERT_EQ(json["choices"].size(), 2u);
  EXPECT_EQ(to_text(json["choices"][1]),
            R"({"index":1,"text":"hello","logprobs":null,"finish_reason":"stop","seed":42})");
  EXPECT_EQ(to_text(json["usage"]),
            R"({"prompt_tokens":3,"completion_tokens":7,"total_tokens":10})");
}

TEST(CompletionJson, LogprobArraysHaveEqualLengthAndNullFirst) {
  const Json json = logprobs_json(delta_with_entries().entries);
  EXPECT_EQ(to_text(json), R"({"tokens":["a","b"],"token_logprobs":[null,-0.1],)"
                           R"("top_logprobs":[null,{"b":-0.1,"c":-2.5}],"text_offset":[0,1]})");
}

TEST(CompletionJson, LogprobsThatWereAskedForArePresentEvenWhenEmpty) {
  const Json chunk = chunk_json(kHeader, 0, {}, true, UsageField::absent);
  EXPECT_EQ(chunk["choices"][0]["logprobs"]["tokens"], Json::array());
  EXPECT_TRUE(
      chunk_json(kHeader, 0, {}, false, UsageField::absent)["choices"][0]["logprobs"].is_null());
}

TEST(CompletionJson, UsageIsNullOnChunksOnlyWhenAskedFor) {
  EXPECT_FALSE(chunk_json(kHeader, 0, {}, false, UsageField::absent).contains("usage"));
  EXPECT_TRUE(chunk_json(kHeader, 0, {}, false, UsageField::null)["usage"].is_null());
  const Json last = usage_chunk_json(kHeader, {1, 2});
  EXPECT_EQ(last["choices"], Json::array());
  EXPECT_EQ(last["usage"]["total_tokens"], 3);
}

TEST(CompletionJson, AppendedDeltasAreTheWhole) {
  ChoiceDelta sum = delta_with_entries();
  ChoiceDelta last;
  last.text = "c";
  last.tokens = 1;
  last.finish_reason = "length";
  append(sum, std::move(last));
  EXPECT_EQ(sum.text, "abc");
  EXPECT_EQ(sum.tokens, 3);
  EXPECT_EQ(sum.entries.size(), 2u);
  EXPECT_EQ(sum.finish_reason, "length");
}

}  // namespace
}  // namespace mesita::http
