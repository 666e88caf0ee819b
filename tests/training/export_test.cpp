#include "training/export.h"

#include <gtest/gtest.h>

#include "model/checkpoint/checkpoint.h"
#include "tests/support/files.h"
#include "tests/support/message.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tiny_checkpoint.h"
#include "tests/support/tiny_tokenizer.h"
#include "tokenizer/tokenizer.h"

namespace mesita::training {
namespace {

using testing::contains;
using testing::message_of;
namespace fs = std::filesystem;

/// A checkpoint with this tokenizer.
void save(const fs::path& folder, const tokenizer::Tokenizer& tokenizer) {
  testing::TinyCheckpoint tiny;
  tiny.config.model.vocabulary = tokenizer.size();
  tiny.draw();
  tokenizer.save(folder / "tokenizer");
  checkpoint::save_checkpoint(folder / "model", tiny.config, tiny.parameters, folder / "tokenizer",
                              checkpoint::Form::compact);
}

TEST(Export, WritesWhatOthersLoadAndNothingElse) {
  const testing::TemporaryDirectory folder;
  save(folder.path(), *testing::tiny_sentencepiece_tokenizer());
  export_huggingface(folder / "model", folder / "out" / "hf");
  for (const char* name :
       {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"})
    EXPECT_TRUE(fs::exists(folder / "out/hf" / name)) << name;
  export_gguf(folder / "model", folder / "out" / "model.gguf");
  EXPECT_EQ(testing::read_file(folder / "out/model.gguf").substr(0, 4), "GGUF");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder / "out"), fs::directory_iterator{}), 2);
}

TEST(Export, IsThePureFunctionOfItsCheckpoint) {
  const testing::TemporaryDirectory folder;
  save(folder.path(), *testing::tiny_sentencepiece_tokenizer());
  export_gguf(folder / "model", folder / "a");
  export_gguf(folder / "model", folder / "b");
  EXPECT_EQ(testing::read_file(folder / "a"), testing::read_file(folder / "b"));
}

TEST(Export, RefusesWhatIsThereAndWhatCannotBeHeld) {
  const testing::TemporaryDirectory folder;
  save(folder.path(), *tokenizer::make_symbol_tokenizer({"<unk>", "<s>", "</s>", "a", "b"},
                                                        {"<unk>", "<s>", "</s>"}));
  const fs::path out = folder / "out";
  EXPECT_TRUE(contains(message_of([&] { export_huggingface(folder / "model", out); }), "symbols"));
  EXPECT_TRUE(contains(message_of([&] { export_gguf(folder / "model", out); }), "SentencePiece"));
  EXPECT_FALSE(fs::exists(out));
  testing::write_file(out, "mine");
  EXPECT_TRUE(contains(message_of([&] { export_gguf(folder / "model", out); }), "exists"));
  EXPECT_EQ(testing::read_file(out), "mine");
  EXPECT_THROW(export_gguf(folder / "nowhere", folder / "x"), std::runtime_error);
}

TEST(Export, IdsAloneHaveNoTokenizerFiles) {
  const testing::TemporaryDirectory folder;
  save(folder.path(), *tokenizer::make_idless_tokenizer(5));
  export_huggingface(folder / "model", folder / "hf");
  EXPECT_TRUE(fs::exists(folder / "hf/model.safetensors"));
  EXPECT_FALSE(fs::exists(folder / "hf/tokenizer.json"));
}

}  // namespace
}  // namespace mesita::training
