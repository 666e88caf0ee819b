#include "server/evaluation/model_handle.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include "tests/support/temporary_directory.h"
#include "tests/support/tiny_handle.h"
#include "tests/support/tiny_tokenizer.h"

namespace mesita::evaluation {
namespace {

namespace fs = std::filesystem;

// Writes a checkpoint with a symbol tokenizer of `symbols` symbols for a vocabulary of 5.
void write_checkpoint(const fs::path& folder, int symbols = 5) {
  testing::TemporaryDirectory temporary;
  std::vector<std::string> names = {"<s>", "</s>", "a", "b", "c"};
  names.resize(static_cast<size_t>(symbols), "d");
  tokenizer::make_symbol_tokenizer(names, {"<s>", "</s>"})->save(temporary / "tokenizer");
  checkpoint::CheckpointConfig config;
  config.model = testing::tiny_config(5, 16);
  config.document_start = 0;
  config.end = 1;
  config.trained = model::trained_roles("embeddings");
  config.seed = 4;
  checkpoint::save_checkpoint(folder, config, model::initial_values(config.model, 4),
                              temporary / "tokenizer", checkpoint::Form::compact);
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(LoadModel, CheckpointFolder) {
  const testing::TemporaryDirectory folder;
  write_checkpoint(folder / "m");
  const auto model = load_model(folder / "m", "name/m");
  EXPECT_EQ(model->id, "name/m");
  EXPECT_EQ(model->folder, folder / "m");
  EXPECT_EQ(model->tokenizer->kind(), "symbols");
  EXPECT_EQ(model->config.document_start, 0);
  EXPECT_FALSE(model->frozen.empty());
  EXPECT_FALSE(model->core.empty());
  EXPECT_FALSE(model->hash.empty());
  // Width 16, 2 layers, feed-forward 24: embedding and unembedding 5 x 16, positions 16 x 16; a
  // block has 4 norms' vectors of 16, attention (3 + 1) x (16 x 16 + 16), feed-forward
  // 24 x 16 + 24 + 16 x 24 + 16.
  EXPECT_EQ(model->trained_parameters, 2 * 5 * 16 + 16 * 16);
  EXPECT_EQ(model->parameters, model->trained_parameters + 2 * (64 + 4 * 272 + 808) + 32);
  EXPECT_EQ(encode_document(*model, "b a"), (std::vector<int32_t>{0, 3, 2}));
}

TEST(LoadModel, RunFolderCountsAsItsBestCheckpoint) {
  const testing::TemporaryDirectory folder;
  write_checkpoint(folder / "run/checkpoints/best");
  EXPECT_EQ(load_model(folder.path() / "run", "run")->folder, folder / "run/checkpoints/best");
}

TEST(LoadModel, SaysWhichFolderAndWhy) {
  const testing::TemporaryDirectory folder;
  const auto load = [&](const char* name) {
    return message_of([&] { load_model(folder / name, "x"); });
  };
  EXPECT_NE(load("absent").find((folder / "absent").string()), std::string::npos);
  fs::create_directories(folder / "empty");
  EXPECT_NE(load("empty").find("manifest.json"), std::string::npos) << load("empty");
  write_checkpoint(folder / "small", 4);
  EXPECT_NE(load("small").find("4 ids"), std::string::npos) << load("small");
  EXPECT_NE(load("small").find("vocabulary is 5"), std::string::npos);
}

// A checkpoint with 4 symbols is refused, unless the tokenizer of its successor is taken for its
// own.
TEST(LoadModel, WeightsAndTokenizerAreFromOneCheckpointWhileItIsReplaced) {
  const testing::TemporaryDirectory folder;
  const auto write = [&](int symbols) { write_checkpoint(folder / "m", symbols); };
  const auto load = [&] { return load_model(folder / "m", "m"); };
  write(5);
  const std::string hash = load()->hash;
  std::atomic<bool> reading = true;
  std::thread writer([&] {
    while (reading) {
      write(4);
      write(5);
    }
  });
  for (int i = 0; i < 300; ++i) {
    const std::string message = message_of([&] { EXPECT_EQ(load()->hash, hash); });
    EXPECT_TRUE(message == "nothing was thrown" || message.find("twice") != std::string::npos ||
                message.find("4 ids") != std::string::npos)
        << message;
  }
  reading = false;
  writer.join();
}

TEST(ResolveModel, FolderThenShippedModel) {
  const testing::TemporaryDirectory folder;
  write_checkpoint(folder / "m");
  EXPECT_EQ(resolve_model((folder / "m").string()), folder / "m");
  write_checkpoint(folder / "run/checkpoints/best");
  EXPECT_EQ(resolve_model((folder / "run").string()), folder / "run");
  const fs::path shipped = fs::path(MESITA_SOURCE_DIR) / "model" / "pretrained";
  for (const auto& entry : fs::directory_iterator(shipped)) {
    if (!checkpoint::is_checkpoint(entry.path())) continue;
    EXPECT_EQ(resolve_model(entry.path().filename().string()), entry.path());
  }
}

TEST(ResolveModel, UnknownNamesAreRefused) {
  EXPECT_NE(message_of([] { resolve_model("no-such-model"); }).find("'no-such-model'"),
            std::string::npos);
  EXPECT_THROW(resolve_model(""), std::runtime_error);
  EXPECT_THROW(resolve_model(std::string(5000, 'x')), std::runtime_error);
}

TEST(EncodeDocument, PutsTheStartInFrontWhereThereIsOne) {
  const std::shared_ptr<const tokenizer::Tokenizer> tokenizer =
      testing::tiny_sentencepiece_tokenizer();
  const std::string text = "the table <s>";
  const std::vector<int32_t> ids = tokenizer->encode(text);
  std::vector<int32_t> with_start = ids;
  with_start.insert(with_start.begin(), 1);
  EXPECT_EQ(encode_document(*testing::tiny_handle(tokenizer), text), with_start);
  EXPECT_EQ(
      encode_document(*testing::tiny_handle(tokenizer, {.document_start = std::nullopt}), text),
      ids);
  EXPECT_EQ(encode_document(*testing::tiny_handle(tokenizer), ""), (std::vector<int32_t>{1}));
}

}  // namespace
}  // namespace mesita::evaluation
