#include "model/checkpoint/training_state.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "tests/support/message.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tiny_checkpoint.h"

namespace mesita::checkpoint {
namespace {

using mesita::testing::contains;
using mesita::testing::message_of;
using mesita::testing::TinyCheckpoint;

class TrainingStateFile : public ::testing::Test {
 protected:
  TrainingStateFile() {
    TinyCheckpoint().save(place_ / "plain");  // also makes the tokenizer folder
    state_.tensors["moment.a"] = {{2, 1}, {1.0F, std::numeric_limits<float>::quiet_NaN()}};
    state_.notes = {{"step", "12"}, {"text", "\xc3\xa4\n\""}};
  }
  void save(const std::string& name) {
    const TinyCheckpoint tiny;
    save_checkpoint(place_ / name, tiny.config, tiny.parameters, place_ / "tiny-tokenizer",
                    Form::compact, state_);
  }
  mesita::testing::TemporaryDirectory place_;
  TrainingState state_;
};

TEST_F(TrainingStateFile, RoundTripBesideTheModel) {
  save("run");
  const TrainingState loaded = load_resumable(place_ / "run").training_state;
  EXPECT_EQ(loaded.notes, state_.notes);
  ASSERT_EQ(loaded.tensors.size(), 1U);
  EXPECT_EQ(loaded.tensors.at("moment.a").shape, (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(loaded.tensors.at("moment.a").values[0], 1.0F);
  EXPECT_TRUE(std::isnan(loaded.tensors.at("moment.a").values[1]));
  EXPECT_EQ(load_checkpoint(place_ / "run").parameters.at("final_norm.weight").values,
            TinyCheckpoint().parameters.at("final_norm.weight").values);
}

TEST_F(TrainingStateFile, IsVerified) {
  save("run");
  const auto file = place_ / "run" / "training_state.safetensors";
  std::string content = mesita::testing::read_file(file);
  content.back() = static_cast<char>(content.back() ^ 1);
  mesita::testing::write_file(file, content);
  for (const auto& message :
       {message_of<std::runtime_error>([&] { load_resumable(place_ / "run").training_state; }),
        message_of<std::runtime_error>([&] { load_checkpoint(place_ / "run"); })}) {
    EXPECT_TRUE(contains(message, "training_state.safetensors has SHA-256")) << message;
  }
}

TEST_F(TrainingStateFile, IsMissingInAPlainCheckpointAndGoneAfterAPlainSave) {
  const auto message = [&](const char* name) {
    return message_of<std::runtime_error>([&] { load_resumable(place_ / name).training_state; });
  };
  EXPECT_TRUE(contains(message("plain"), "not saved for resuming"));
  save("run");
  TinyCheckpoint().save(place_ / "run");
  EXPECT_TRUE(contains(message("run"), "not saved for resuming"));
  EXPECT_TRUE(contains(message("none"), "No such file"));
}

TEST_F(TrainingStateFile, WhatCannotBeStoredIsTheCallersMistake) {
  state_.notes["bad"] = "\xff";
  EXPECT_THROW(save("run"), std::invalid_argument);
  state_.notes.erase("bad");
  state_.tensors["moment.a"].shape = {3};
  EXPECT_THROW(save("run"), std::invalid_argument);
  EXPECT_FALSE(std::filesystem::exists(place_ / "run"));
}

}  // namespace
}  // namespace mesita::checkpoint
