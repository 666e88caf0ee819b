#include "training/data/run_data.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_directory.h"

namespace mesita::training {
namespace {

TEST(RunData, TheGrammarIsTheDataWhenNoneIsGiven) {
  RunConfig config = resolve_run_config("", {});
  const RunData data = make_run_data(config);
  EXPECT_EQ(config.model.vocabulary, data.tokenizer->size());
  EXPECT_EQ(data.tokenizer->special_id("<s>"), data.start);
  EXPECT_GT(*data.start, 0);
  EXPECT_EQ(data.tokenizer->special_id("</s>"), data.end);
  EXPECT_GT(data.evaluation.exact_nats, 0.0);
  EXPECT_EQ(data.evaluation.bytes, 0);
  EXPECT_GT(data.training.at(0)->next().scored, 0);
}

TEST(RunData, TheVocabularyMustBeTheTokenizers) {
  for (const char* size : {"10", "1000"}) {
    RunConfig config = resolve_run_config("", {{"vocabulary", size}});
    EXPECT_THROW(make_run_data(config), std::invalid_argument);
  }
}

TEST(RunData, ReadsTextWithItsTokenizer) {
  const testing::TemporaryDirectory folder;
  tokenizer::make_symbol_tokenizer({"<unk>", "<s>", "</s>", "a", "bc"}, {"<unk>", "<s>", "</s>"})
      ->save(folder / "tokenizer");
  std::ofstream(folder / "train.txt") << "a bc a\n<|endoftext|>\nbc\n";
  std::ofstream(folder / "validation.txt") << "a bc\n";
  const std::vector<FieldOverride> fields{{"kind", "text"},
                                          {"train", (folder / "train.txt").string()},
                                          {"validation", (folder / "validation.txt").string()},
                                          {"tokenizer", (folder / "tokenizer").string()}};
  RunConfig config = resolve_run_config("", fields);
  const RunData data = make_run_data(config);
  EXPECT_EQ(config.model.vocabulary, 5);
  EXPECT_EQ(data.evaluation.scored, 3);
  EXPECT_EQ(data.evaluation.bytes, 4);
  EXPECT_NE(data.description.find("2 documents of train.txt"), std::string::npos);

  RunConfig described = resolve_run_config("", fields);
  described.data.description = "A licence";
  EXPECT_EQ(make_run_data(described).description, "A licence");
}

TEST(RunData, MissingFilesAreTheWorldsFault) {
  const testing::TemporaryDirectory folder;
  RunConfig config = resolve_run_config(
      "", {{"kind", "text"}, {"train", "x"}, {"validation", "x"}, {"tokenizer", "/nowhere"}});
  EXPECT_THROW(make_run_data(config), std::runtime_error);
}

}  // namespace
}  // namespace mesita::training
