// load_checkpoint, is_checkpoint and holds_checkpoint of model/checkpoint/checkpoint.h.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <stdexcept>

#include "model/checkpoint/checkpoint.h"
#include "model/checkpoint/safetensors.h"
#include "tests/support/files.h"
#include "tests/support/message.h"
#include "tests/support/seal_checkpoint.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tiny_checkpoint.h"

namespace mesita::checkpoint {
namespace {

namespace fs = std::filesystem;
using mesita::testing::contains;
using mesita::testing::message_of;
using mesita::testing::read_file;
using mesita::testing::seal_checkpoint;
using mesita::testing::TinyCheckpoint;
using mesita::testing::write_file;

class Load : public ::testing::TestWithParam<Form> {
 protected:
  Load() { tiny_.save(folder_, Form::compact); }
  std::string message() const {
    return message_of<std::runtime_error>([&] { load_checkpoint(folder_); });
  }
  // Gives model.safetensors these tensors, and a manifest that agrees.
  void store(const std::function<void(std::vector<TensorToWrite>&)>& change, Form form) {
    tiny_.save(folder_, form);
    std::vector<TensorToWrite> tensors;
    for (const model::ParameterSpec& spec : model::parameter_specs(tiny_.config.model)) {
      if (form == Form::compact && model::is_interior(spec.role)) continue;
      tensors.push_back(
          {spec.name, TensorType::float32, spec.shape, tiny_.parameters.at(spec.name).values});
    }
    change(tensors);
    fs::remove(folder_ / "model.safetensors");
    OutputFile file(folder_ / "model.safetensors");
    write_safetensors(file, tensors, {});
    file.finish();
    seal_checkpoint(folder_);
  }

  mesita::testing::TemporaryDirectory place_;
  fs::path folder_ = place_ / "c";
  TinyCheckpoint tiny_;
};

TEST_F(Load, GivesBackWhatWasSaved) {
  const Checkpoint loaded = load_checkpoint(folder_);
  EXPECT_EQ(loaded.form, Form::compact);
  EXPECT_EQ(loaded.config.model, tiny_.config.model);
  EXPECT_EQ(loaded.config.trained, tiny_.config.trained);
  EXPECT_EQ(loaded.config.trained_on, "numbers");
  EXPECT_EQ(loaded.frozen, frozen_hash(tiny_.config, tiny_.parameters));
  EXPECT_EQ(loaded.core, core_hash(tiny_.config, tiny_.parameters));
  EXPECT_EQ(loaded.hash, sha256(read_file(folder_ / "manifest.json")));
  ASSERT_EQ(loaded.parameters.size(), tiny_.parameters.size());
  for (const auto& [name, array] : tiny_.parameters) {
    const model::ParameterArray& found = loaded.parameters.at(name);
    EXPECT_EQ(found.shape, array.shape);
    ASSERT_EQ(found.values.size(), array.values.size());
    EXPECT_EQ(std::memcmp(found.values.data(), array.values.data(), 4 * array.values.size()), 0);
  }
}

TEST_F(Load, IsCheckpointLooksForTheManifest) {
  EXPECT_TRUE(is_checkpoint(folder_));
  EXPECT_FALSE(is_checkpoint(place_.path()));
  EXPECT_FALSE(is_checkpoint(place_ / "none"));
  EXPECT_FALSE(is_checkpoint(folder_ / "manifest.json"));
  const std::string hash = load_checkpoint(folder_).hash;
  EXPECT_TRUE(holds_checkpoint(folder_, hash));
  EXPECT_FALSE(holds_checkpoint(place_ / "none", hash));
  mesita::testing::write_file(folder_ / "manifest.json", "{}");
  EXPECT_FALSE(holds_checkpoint(folder_, hash));
}

TEST_F(Load, MessagesBeginWithTheFolder) {
  EXPECT_TRUE(contains(message_of<std::runtime_error>([&] { load_checkpoint(place_ / "none"); }),
                       "checkpoint " + (place_ / "none").string() + ": "));
  write_file(folder_ / "config.json", "");
  EXPECT_TRUE(message().starts_with("checkpoint " + folder_.string() + ": config.json"))
      << message();
}

TEST_F(Load, EveryBitFlipIsRefused) {
  size_t flips = 0;
  for (const char* name :
       {"config.json", "model.safetensors", "tokenizer/none.json", "manifest.json"}) {
    const std::string content = read_file(folder_ / name);
    for (size_t bit = 0; bit < 8 * content.size(); ++bit) {
      std::string flipped = content;
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
      write_file(folder_ / name, flipped);
      ASSERT_NE(message(), "(nothing was thrown)") << name << " bit " << bit;
      ++flips;
    }
    write_file(folder_ / name, content);
  }
  EXPECT_EQ(message(), "(nothing was thrown)");
  EXPECT_GT(flips, 10000u);
}

TEST_F(Load, EveryTruncationIsRefused) {
  for (const char* name :
       {"config.json", "model.safetensors", "tokenizer/none.json", "manifest.json"}) {
    const std::string content = read_file(folder_ / name);
    for (size_t length = content.size(); length-- > 0;) {
      fs::resize_file(folder_ / name, length);
      ASSERT_NE(message(), "(nothing was thrown)") << name << " " << length;
    }
    write_file(folder_ / name, content);
  }
}

// A flip that somebody gave a fitting manifest is refused or read as something else; never a crash.
TEST_F(Load, SealedFlipsAndTruncationsDoNoHarm) {
  for (const char* name : {"config.json", "model.safetensors"}) {
    const std::string content = read_file(folder_ / name);
    for (size_t bit = 0; bit < 8 * content.size(); bit += 3) {
      std::string changed = content;
      changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << (bit % 8)));
      write_file(folder_ / name, changed);
      seal_checkpoint(folder_);
      message();
    }
    for (size_t length = 0; length + 1 < content.size(); ++length) {
      write_file(folder_ / name, content.substr(0, length));
      seal_checkpoint(folder_);
      ASSERT_NE(message(), "(nothing was thrown)") << name << " " << length;
    }
    write_file(folder_ / name, content);
  }
}

TEST_P(Load, WrongTensorsAreNamed) {
  const Form form = GetParam();
  const std::vector<float> zeros(100, 0.0F);
  const auto refused = [&](const std::function<void(std::vector<TensorToWrite>&)>& change,
                           const std::vector<std::string>& parts) {
    store(change, form);
    for (const std::string& part : parts) {
      EXPECT_TRUE(contains(message(), part)) << part << ": " << message();
    }
  };
  refused([](auto& tensors) { tensors.pop_back(); }, {"unembedding.weight is missing"});
  refused([](auto& tensors) { tensors.clear(); }, {"token_embedding.weight is missing"});
  refused([](auto& tensors) { tensors[0].name = "token_embedding"; },
          {"token_embedding.weight is missing"});
  refused(
      [&](auto& t) {
        t.push_back({"extra", TensorType::float32, {1}, std::span(zeros).first(1)});
      },
      {"extra is unexpected"});
  refused(
      [](auto& tensors) {
        tensors[0].shape = {4, 5};
      },
      {"token_embedding.weight has shape [4, 5]", "[5, 4]"});
  refused([](auto& tensors) { tensors[0].shape = {20}; }, {"shape [20]"});
  refused([](auto& tensors) { tensors[0].shape = {1, 5, 4}; }, {"shape [1, 5, 4]"});
  refused(
      [&](auto& t) {
        t[0].shape = {6, 4}, t[0].values = std::span(zeros).first(24);
      },
      {"shape [6, 4]"});
  refused([](auto& tensors) { tensors[0].type = TensorType::bfloat16; },
          {"token_embedding.weight is not stored as F32"});
  store([](auto&) {}, form);
  EXPECT_EQ(message(), "(nothing was thrown)");
}

TEST_P(Load, ValuesThatAreNotFiniteAreRefused) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
        -std::numeric_limits<float>::infinity()}) {
    std::vector<float> values = tiny_.parameters.at("unembedding.weight").values;
    values.back() = bad;
    store([&](auto& tensors) { tensors.back().values = values; }, GetParam());
    EXPECT_TRUE(contains(message(), "tensor unembedding.weight has a value")) << message();
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, Load, ::testing::Values(Form::full, Form::compact),
                         [](const auto& form) {
                           return form.param == Form::full ? "full" : "compact";
                         });

TEST_F(Load, ACompactCheckpointHoldsNoFrozenTensor) {
  const std::vector<float> ones(4, 1.0F);
  store(
      [&](auto& t) {
        t.push_back({"final_norm.weight", TensorType::float32, {4}, ones});
      },
      Form::compact);
  EXPECT_TRUE(contains(message(), "final_norm.weight is unexpected")) << message();
}

TEST_F(Load, FrozenTensorsOtherThanTheirHashAreRefused) {
  std::vector<float> values = tiny_.parameters.at("final_norm.bias").values;
  values[0] = 0.25F;
  store(
      [&](auto& tensors) {
        for (TensorToWrite& tensor : tensors) {
          if (tensor.name == "final_norm.bias") tensor.values = values;
        }
      },
      Form::full);
  EXPECT_TRUE(contains(message(), "the frozen hash")) << message();
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST_F(Load, AnotherSeedOrCoreIsNoticed) {
  const std::string config = read_file(folder_ / "config.json");
  write_file(folder_ / "config.json", replaced(config, "\"seed\": 7", "\"seed\": 8"));
  seal_checkpoint(folder_);
  EXPECT_TRUE(contains(message(), "the frozen hash")) << message();
  write_file(folder_ / "config.json", replaced(config, "1e-05", "1e-06"));
  seal_checkpoint(folder_);
  EXPECT_TRUE(contains(message(), "the core hash")) << message();
  write_file(folder_ / "config.json", replaced(config, "\"heads\": 2", "\"heads\": 1"));
  seal_checkpoint(folder_);
  EXPECT_TRUE(contains(message(), "the core hash")) << message();
}

TEST_F(Load, AConfigOfAnotherModelIsNoticed) {
  const std::string config = read_file(folder_ / "config.json");
  const auto check = [&](const std::string& from, const std::string& to, const std::string& part) {
    write_file(folder_ / "config.json", replaced(config, from, to));
    seal_checkpoint(folder_);
    EXPECT_TRUE(contains(message(), part)) << message();
  };
  check("\"vocabulary\": 5", "\"vocabulary\": 6", "shape [5, 4]");
  // Large, and nothing of that size may be allocated on the way to the refusal.
  check("\"vocabulary\": 5", "\"vocabulary\": 500000000", "shape [5, 4]");
  check("\"feed_forward\": 6", "\"feed_forward\": 500000000, \"x\": 1", "unknown key");
  check("learned", "none", "position_embedding.weight is unexpected");
  check("\"tied_unembedding\": false", "\"tied_unembedding\": true",
        "unembedding.weight is unexpected");
  check("\"float32\"", "\"bfloat16\"", "is not stored as BF16");
  check("\"token_embedding\",", "", "token_embedding.weight is unexpected");
  check("\"unembedding\"", "\"unembedding\", \"norm\"", "blocks.0.mixer_norm.weight is missing");
  check("\"format_version\": 1", "\"format_version\": 9", "newer mesita");
  check("\"trained_on\"", "\"trained\\u0000_on\"", "unknown key");
  write_file(folder_ / "config.json", std::string((1 << 20) + 1, ' '));
  seal_checkpoint(folder_);
  EXPECT_TRUE(contains(message(), "at most")) << message();
}

}  // namespace
}  // namespace mesita::checkpoint
