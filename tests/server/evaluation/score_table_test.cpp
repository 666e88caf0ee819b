#include "server/evaluation/score_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace mesita::evaluation {
namespace {

CorpusScore example() {
  CorpusScore score;
  score.model = "ñandú";
  score.texts = 12;
  score.context = 256;
  score.stride = 128;
  score.sums = {.tokens = 1001,
                .scored_tokens = 1000,
                .skipped_tokens = 1,
                .bytes = 4000,
                .words = 800,
                .nats = 1000 * std::log(4.0)};
  score.errors = {.over_tokens = 0.01234, .over_texts = 0.05678};
  return score;
}

TEST(ScoreTable, ColumnsAreAlignedByCharacters) {
  CorpusScore other = example();
  other.model = "a longer name";
  other.texts = 1;
  EXPECT_EQ(score_table({example(), other}),
            "model          texts  tokens  scored  nats/token ± stderr  bits/byte  perplexity\n"
            "ñandú             12    1001    1000      1.3863 ± 0.0568     0.5000       4.000\n"
            "a longer name      1    1001    1000      1.3863 ± 0.0123     0.5000       4.000\n");
}

TEST(ScoreTable, NothingIsAHeader) {
  EXPECT_EQ(score_table({}),
            "model  texts  tokens  scored  nats/token ± stderr  bits/byte  perplexity\n");
}

TEST(ScoreJson, HasTheNamesOfThePerplexityRoute) {
  const nlohmann::json document = nlohmann::json::parse(score_json({example()}));
  EXPECT_EQ(document.at("convention"), "document");
  const nlohmann::json& row = document.at("summary").at(0);
  EXPECT_EQ(row.at("model"), "ñandú");
  EXPECT_EQ(row.at("texts"), 12);
  EXPECT_EQ(row.at("context"), 256);
  EXPECT_EQ(row.at("stride"), 128);
  EXPECT_EQ(row.at("tokens"), 1001);
  EXPECT_EQ(row.at("scored_tokens"), 1000);
  EXPECT_EQ(row.at("skipped_tokens"), 1);
  EXPECT_EQ(row.at("bytes"), 4000);
  EXPECT_EQ(row.at("words"), 800);
  EXPECT_EQ(row.at("nats").get<double>(), 1000 * std::log(4.0)) << "every bit";
  EXPECT_DOUBLE_EQ(row.at("nats_per_token").get<double>(), std::log(4.0));
  EXPECT_DOUBLE_EQ(row.at("bits_per_token").get<double>(), 2.0);
  EXPECT_DOUBLE_EQ(row.at("bits_per_byte").get<double>(), 0.5);
  EXPECT_DOUBLE_EQ(row.at("perplexity").get<double>(), 4.0);
  EXPECT_EQ(row.at("stderr_nats_per_token_over_tokens"), 0.01234);
  EXPECT_EQ(row.at("stderr_nats_per_token_over_texts"), 0.05678);
}

TEST(ScoreJson, SurvivesFileNamesThatAreNotUtf8) {
  CorpusScore odd = example();
  odd.model = "caf\xE9";
  EXPECT_EQ(nlohmann::json::parse(score_json({odd})).at("summary").at(0).at("model"), "caf\uFFFD");
}

}  // namespace
}  // namespace mesita::evaluation
