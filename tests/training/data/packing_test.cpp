#include "training/data/packing.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/message.h"
#include "tests/training/data/packed_texts.h"
#include "training/data/text_documents.h"
#include "training/data/token_pack.h"

namespace mesita::training {
namespace {

std::vector<std::vector<int32_t>> all_ids(const TokenDocuments& documents) {
  std::vector<std::vector<int32_t>> all(static_cast<size_t>(documents.count()));
  for (size_t i = 0; i < all.size(); ++i) documents.read(static_cast<int64_t>(i), all[i]);
  return all;
}

TEST(Packing, HoldsWhatReadingTheTextsGives) {
  const PackedTexts texts;
  const auto file = texts.write_lines("a.jsonl", 50);
  const PackOutcome outcome = pack(texts.request({file}));
  EXPECT_TRUE(outcome.finished);
  const TokenPack found(texts / "pack");
  EXPECT_EQ(found.info(), outcome.info);
  const auto tokenizer = found.tokenizer();
  const auto direct = read_text_documents(file, *tokenizer);
  EXPECT_EQ(all_ids(found), all_ids(*direct));
  EXPECT_EQ(found.sets(), direct->sets());
  EXPECT_EQ(found.marks(), direct->marks());
  for (int64_t i = 0; i < found.count(); ++i) {
    EXPECT_EQ(found.set_of(i), direct->set_of(i));
    EXPECT_EQ(found.bytes(i), direct->bytes(i));
  }
}

TEST(Packing, ThreadsAndSavesChangeNothing) {
  const PackedTexts texts;
  const auto a = texts.write_lines("a.jsonl", 9000), b = texts.write_lines("b.jsonl", 50, 9000);
  pack(texts.request({a, b}, "one"));
  PackRequest request = texts.request({a, b}, "two");
  request.threads = 4;
  request.save_interval = 1;
  pack(request);
  for (const char* name : {"tokens.bin", "documents.bin", "pack.json"})
    EXPECT_EQ(texts.content(std::string("one/") + name), texts.content(std::string("two/") + name));
}

TEST(Packing, GoesOnWhereItWasStopped) {
  const PackedTexts texts;
  const std::vector<std::filesystem::path> files = {texts.write_lines("a.jsonl", 9000),
                                                    texts.write_lines("b.jsonl", 6000, 9000)};
  pack(texts.request(files, "whole"));
  for (int asked = 0; asked < 7; ++asked) {
    int calls = 0;
    std::string said;
    const PackHooks hooks = {.progress = {},
                             .message = [&](const std::string& text) { said += text; },
                             .stop = [&] { return calls++ == asked; }};
    const PackRequest request = texts.request(files, "stopped" + std::to_string(asked));
    const bool finished = pack(request, hooks).finished;
    EXPECT_EQ(finished, asked >= calls);
    if (!finished) {
      EXPECT_FALSE(std::filesystem::exists(request.out));
      calls = 100;
      EXPECT_TRUE(pack(request, hooks).finished);
      EXPECT_EQ(testing::contains(said, "going on behind"), asked > 0) << said;
    }
    for (const char* name : {"/tokens.bin", "/documents.bin", "/pack.json"})
      EXPECT_EQ(texts.content(request.out.filename().string() + name),
                texts.content(std::string("whole") + name));
  }
}

TEST(Packing, RefusesToGoOnWithOtherFiles) {
  const PackedTexts texts;
  const auto a = texts.write_lines("a.jsonl", 9000), b = texts.write_lines("b.jsonl", 5);
  int calls = 0;
  const PackHooks hooks = {.progress = {}, .message = {}, .stop = [&] { return calls++ == 1; }};
  EXPECT_FALSE(pack(texts.request({a}), hooks).finished);
  const auto refused = [&](std::vector<std::filesystem::path> files) {
    return testing::message_of<std::runtime_error>([&] { pack(texts.request(std::move(files))); });
  };
  EXPECT_TRUE(testing::contains(refused({b}), "unfinished pack of other files"));
  EXPECT_TRUE(testing::contains(refused({a, b}), "unfinished pack of other files"));
  texts.write_lines("a.jsonl", 8999);
  EXPECT_TRUE(testing::contains(refused({a}), "unfinished pack of other files"));
}

TEST(Packing, MalformedRecordsFailWithTheirLineOrAreCounted) {
  const PackedTexts texts;
  const auto file = texts.write("a.jsonl",
                                "{\"text\": \"the table\"}\n{\"txt\": 1}\n{\"text\": \"\"}\n"
                                "{\"text\": \"a leg\"}\n");
  const auto failure = [&] {
    return testing::message_of<std::runtime_error>([&] { pack(texts.request({file})); });
  };
  EXPECT_TRUE(testing::contains(failure(), "a.jsonl:2:")) << failure();  // and again
  PackRequest request = texts.request({file});
  request.malformed = corpus::Malformed::skip;
  std::string said;
  const PackHooks hooks = {
      .progress = {}, .message = [&](const std::string& text) { said += text; }, .stop = {}};
  const PackInfo info = pack(request, hooks).info;
  EXPECT_EQ(info.documents, 2);
  EXPECT_EQ(info.inputs[0].documents, 2);
  EXPECT_EQ(info.inputs[0].malformed, 1);
  EXPECT_EQ(info.inputs[0].empty, 1);
  EXPECT_TRUE(testing::contains(said, "a.jsonl:2:")) << said;
}

TEST(Packing, WhatTheTokenizerCannotEncodeIsMalformed) {
  const PackedTexts texts;
  tokenizer::make_symbol_tokenizer({"<unk>", "<s>", "</s>", "a", "b"}, {"<unk>", "<s>", "</s>"})
      ->save(texts / "symbols");
  PackRequest request = texts.request(
      {texts.write("a.jsonl", "{\"text\": \"a b\"}\n{\"text\": \"a c\"}\n{\"text\": \"b\"}\n")});
  request.tokenizer = texts / "symbols";
  const std::string failure = testing::message_of<std::runtime_error>([&] { pack(request); });
  EXPECT_TRUE(testing::contains(failure, "a.jsonl:2:")) << failure;
  request.malformed = corpus::Malformed::skip;
  const PackInfo info = pack(request).info;
  EXPECT_EQ(info.documents, 2);
  EXPECT_EQ(info.inputs[0].malformed, 1);
}

TEST(Packing, RefusesWrongRequests) {
  const PackedTexts texts;
  const auto file = texts.write_lines("a.jsonl", 5);
  EXPECT_THROW(pack(texts.request({})), std::invalid_argument);
  EXPECT_THROW(pack(texts.request({file, file})), std::invalid_argument);
  EXPECT_THROW(pack(texts.request({texts / "absent.txt"})), std::runtime_error);
  EXPECT_THROW(pack(texts.request({texts.write("empty.txt", "")}, "e")), std::runtime_error);
  PackRequest request = texts.request({file});
  request.tokenizer = texts / "absent";
  EXPECT_THROW(pack(request), std::runtime_error);
  std::filesystem::create_directory(texts / "full");
  texts.write("full/file", "x");
  EXPECT_THROW(pack(texts.request({file}, "full")), std::runtime_error);
  EXPECT_THROW(pack(texts.request({file}, "a.jsonl")), std::runtime_error);
}

}  // namespace
}  // namespace mesita::training
