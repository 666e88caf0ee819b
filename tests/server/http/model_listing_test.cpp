#include "server/http/model_listing.h"

#include <gtest/gtest.h>

#include "tests/server/http/served_models.h"

namespace mesita::http {
namespace {

const ModelEntry& model(const std::string& id) {
  return *testing::served_registry().find(id);
}

TEST(ModelListing, DescribesAModel) {
  const Json json = model_json(model("story"));
  EXPECT_EQ(json["id"], "story");
  EXPECT_EQ(json["object"], "model");
  EXPECT_EQ(json["owned_by"], "mesita");
  EXPECT_EQ(json["max_model_len"], 64);
  EXPECT_EQ(json["architecture"], "softmax transformer");
  EXPECT_EQ(json["tokenizer"]["kind"], "sentencepiece");
  EXPECT_EQ(json["tokenizer"]["hash"].get<std::string>().size(), 64u);
  EXPECT_EQ(json["parameters"], json["trained_parameters"]);
  EXPECT_TRUE(json["core"].is_null()) << "nothing is frozen";
  EXPECT_EQ(json["status"], "loaded");
}

TEST(ModelListing, DescribesAFailure) {
  const Json json = model_json(model("broken"));
  EXPECT_EQ(json["status"], "failed");
  EXPECT_FALSE(json["reason"].get<std::string>().empty());
}

TEST(ModelListing, ListsAll) {
  const Json json = model_list_json(testing::served_registry());
  EXPECT_EQ(json["object"], "list");
  EXPECT_EQ(json["data"].size(), 5u);
}

TEST(ModelListing, TokenizerInfoHasNamesOrNull) {
  const Json story = tokenizer_info_json(model("story"));
  EXPECT_EQ(story["eos_token"], "</s>");
  EXPECT_EQ(story["bos_token"], "<s>");
  EXPECT_TRUE(story["chat_template"].is_null());
  const Json ids = tokenizer_info_json(model("ids"));
  EXPECT_TRUE(ids.contains("eos_token") && ids["eos_token"].is_null());
}

}  // namespace
}  // namespace mesita::http
