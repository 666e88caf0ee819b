#include "model/checkpoint/checkpoint_commands.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/message.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tiny_checkpoint.h"

namespace mesita::checkpoint {
namespace {

using testing::contains;
using testing::TinyCheckpoint;

class CheckpointCommands : public ::testing::Test {
 protected:
  CheckpointCommands() { TinyCheckpoint().save(place_ / "model"); }

  std::string inspect(const std::string& name) {
    std::ostringstream out;
    inspect_command(place_ / name, OutputFormat::json, out);
    return out.str();
  }
  std::string convert(const std::string& name, Form form, const std::string& target = "") {
    std::ostringstream out;
    convert_command(place_ / name, form, target.empty() ? "" : place_ / target, OutputFormat::text,
                    out);
    return out.str();
  }
  std::string weights(const std::string& name) {
    return testing::read_file(place_ / name / "model.safetensors");
  }

  testing::TemporaryDirectory place_;
};

TEST_F(CheckpointCommands, InspectCountsRoles) {
  const auto description = nlohmann::json::parse(inspect("model"));
  EXPECT_EQ(description["form"], "compact");
  // V d + T d + V d of a model with V = 5, T = 4, d = 4
  EXPECT_EQ(description["trained_parameters"], 5 * 4 + 4 * 4 + 5 * 4);
  int64_t sum = 0;
  for (const auto& role : description["roles"]) {
    sum += role["parameters"].get<int64_t>();
    EXPECT_EQ(role["trained"], contains(role["role"], "embedding")) << role;
  }
  EXPECT_EQ(description["parameters"], sum);
  EXPECT_EQ(description["training_state"], false);
  EXPECT_EQ(description["config"]["seed"], 7);
  std::ostringstream text;
  inspect_command(place_ / "model", OutputFormat::text, text);
  EXPECT_TRUE(contains(text.str(), "feed_forward")) << text.str();
  EXPECT_TRUE(contains(text.str(), description["hash"])) << text.str();
}

TEST_F(CheckpointCommands, ARunCountsAsItsBest) {
  TinyCheckpoint().save(place_ / "run" / "checkpoints" / "best");
  EXPECT_EQ(nlohmann::json::parse(inspect("run"))["hash"],
            nlohmann::json::parse(inspect("model"))["hash"]);
  EXPECT_THROW(inspect("nothing"), std::runtime_error);
}

TEST_F(CheckpointCommands, VerifyTellsSoundFromDamaged) {
  TinyCheckpoint().save(place_ / "damaged");
  std::string content = weights("damaged");
  content.back() = static_cast<char>(content.back() ^ 1);
  testing::write_file(place_ / "damaged" / "model.safetensors", content);
  std::ostringstream out;
  EXPECT_EQ(verify_command({place_ / "model", place_ / "damaged", place_ / "absent"},
                           OutputFormat::text, out),
            2);
  EXPECT_TRUE(contains(out.str(), "model: OK")) << out.str();
  EXPECT_TRUE(contains(out.str(), "damaged: BAD")) << out.str();
  std::ostringstream json;
  verify_command({place_ / "damaged"}, OutputFormat::json, json);
  EXPECT_EQ(nlohmann::json::parse(json.str())[0]["ok"], false);
}

TEST_F(CheckpointCommands, ExpandAndCompactAreInverse) {
  const std::string compact = weights("model");
  convert("model", Form::full);
  EXPECT_GT(weights("model").size(), compact.size());
  EXPECT_EQ(load_checkpoint(place_ / "model").form, Form::full);
  convert("model", Form::compact);
  EXPECT_EQ(weights("model"), compact);
}

TEST_F(CheckpointCommands, ConvertsToAnotherPlace) {
  const std::string compact = weights("model");
  convert("model", Form::full, "full");
  EXPECT_EQ(weights("model"), compact);
  EXPECT_EQ(load_checkpoint(place_ / "full").form, Form::full);
}

TEST_F(CheckpointCommands, KeepsTheTrainingState) {
  const TinyCheckpoint tiny;
  TrainingState state;
  state.tensors["moment"] = {{2}, {1.0F, 2.0F}};
  state.notes["run"] = "note";
  save_checkpoint(place_ / "model", tiny.config, tiny.parameters, place_ / "tiny-tokenizer",
                  Form::compact, state);
  convert("model", Form::full);
  const TrainingState kept = load_resumable(place_ / "model").training_state;
  EXPECT_EQ(kept.notes, state.notes);
  EXPECT_EQ(kept.tensors.at("moment").values, state.tensors.at("moment").values);
  EXPECT_EQ(nlohmann::json::parse(inspect("model"))["training_state"], true);
}

TEST_F(CheckpointCommands, SaysWhenThereIsNothingToDo) {
  EXPECT_TRUE(contains(convert("model", Form::compact), "compact already"));
  TinyCheckpoint("all").save(place_ / "whole");
  const std::string before = weights("whole");
  EXPECT_TRUE(contains(convert("whole", Form::compact), "nothing is frozen"));
  EXPECT_EQ(weights("whole"), before);
}

TEST_F(CheckpointCommands, RefusesToCompactWhatTheSeedDoesNotGive) {
  TinyCheckpoint odd;
  odd.parameters.at("final_norm.weight").values[0] = 3.0F;
  odd.save(place_ / "odd", Form::full);
  EXPECT_TRUE(
      contains(testing::message_of<std::invalid_argument>([&] { convert("odd", Form::compact); }),
               "final_norm.weight"));
  EXPECT_EQ(load_checkpoint(place_ / "odd").form, Form::full);
}

}  // namespace
}  // namespace mesita::checkpoint
