// save_checkpoint of model/checkpoint/checkpoint.h.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <thread>

#include "model/checkpoint/bfloat16.h"
#include "model/checkpoint/checkpoint.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/files.h"
#include "tests/support/message.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tiny_checkpoint.h"

namespace mesita::checkpoint {
namespace {

namespace fs = std::filesystem;
using mesita::testing::contains;
using mesita::testing::FileSizeLimit;
using mesita::testing::message_of;
using mesita::testing::read_file;
using mesita::testing::TinyCheckpoint;
using mesita::testing::write_file;

bool same_bits(const model::ParameterArrays& a, const model::ParameterArrays& b) {
  if (a.size() != b.size()) return false;
  for (const auto& [name, array] : a) {
    const model::ParameterArray& other = b.at(name);
    if (array.shape != other.shape || array.values.size() != other.values.size()) return false;
    if (std::memcmp(array.values.data(), other.values.data(), 4 * array.values.size()) != 0)
      return false;
  }
  return true;
}

class Save : public ::testing::Test {
 protected:
  std::string refusal(const fs::path& folder) const {
    return message_of<std::invalid_argument>([&] { tiny_.save(folder); });
  }
  mesita::testing::TemporaryDirectory place_;
  TinyCheckpoint tiny_;
};

struct FormCase {
  const char* roles;
  model::PositionKind position;
  bool tied;
};

TEST_F(Save, CompactAndFullLoadToTheSameBits) {
  for (const FormCase& form : {FormCase{"embeddings", model::PositionKind::learned, false},
                               FormCase{"all", model::PositionKind::learned, true},
                               FormCase{"norm", model::PositionKind::rotary, false},
                               FormCase{"unembedding,value", model::PositionKind::none, true}}) {
    for (const StorageType storage : {StorageType::float32, StorageType::bfloat16}) {
      TinyCheckpoint tiny(form.roles);
      tiny.config.model.position = form.position;
      tiny.config.model.tied_unembedding = form.tied;
      tiny.config.storage = storage;
      tiny.draw();
      tiny.save(place_ / "compact", Form::compact);
      tiny.save(place_ / "full", Form::full);
      const Checkpoint compact = load_checkpoint(place_ / "compact");
      const Checkpoint full = load_checkpoint(place_ / "full");
      EXPECT_TRUE(same_bits(compact.parameters, full.parameters)) << form.roles;
      if (storage == StorageType::float32) {
        EXPECT_TRUE(same_bits(full.parameters, tiny.parameters)) << form.roles;
      }
      EXPECT_EQ(compact.frozen, full.frozen);
      EXPECT_EQ(compact.core, full.core);
      EXPECT_EQ(full.form, Form::full);
      EXPECT_EQ(full.parameters.contains("unembedding.weight"), !form.tied);
    }
  }
}

TEST_F(Save, CompactIsSmallAndFullWhenNothingIsFrozen) {
  tiny_.save(place_ / "compact", Form::compact);
  tiny_.save(place_ / "full", Form::full);
  EXPECT_LT(fs::file_size(place_ / "compact" / "model.safetensors") + 4 * 100,
            fs::file_size(place_ / "full" / "model.safetensors"));
  const TinyCheckpoint all("all");
  all.save(place_ / "all-full", Form::full);
  all.save(place_ / "all-compact", Form::compact);
  EXPECT_EQ(load_checkpoint(place_ / "all-compact").form, Form::full);
  EXPECT_EQ(load_checkpoint(place_ / "all-compact").hash,
            load_checkpoint(place_ / "all-full").hash);
}

TEST_F(Save, IsDeterministic) {
  tiny_.save(place_ / "a");
  tiny_.save(place_ / "b");
  for (const char* name : {"config.json", "model.safetensors", "manifest.json"}) {
    EXPECT_EQ(read_file(place_ / "a" / name), read_file(place_ / "b" / name)) << name;
  }
  EXPECT_EQ(read_file(place_ / "a" / "tokenizer" / "none.json"), "{\"size\": 5}\n");
}

TEST_F(Save, TrainedTensorsAreRoundedAndFrozenOnesNever) {
  tiny_.config.storage = StorageType::bfloat16;
  for (const Form form : {Form::compact, Form::full}) {
    tiny_.save(place_ / "c", form);
    const Checkpoint loaded = load_checkpoint(place_ / "c");
    for (const auto& [name, array] : tiny_.parameters) {
      const bool trained = name.find("embedding") != std::string::npos;
      for (size_t i = 0; i < array.values.size(); ++i) {
        const float value = array.values[i];
        EXPECT_EQ(loaded.parameters.at(name).values[i],
                  trained ? from_bfloat16(to_bfloat16(value)) : value)
            << name;
      }
    }
    EXPECT_EQ(loaded.frozen, frozen_hash(tiny_.config, tiny_.parameters));
  }
}

TEST_F(Save, InPlaceWithItsOwnTokenizerAndReadme) {
  tiny_.save(place_ / "c");
  write_file(place_ / "c" / "README.md", "# Mine");
  const Checkpoint loaded = load_checkpoint(place_ / "c");
  save_checkpoint(place_ / "c", loaded.config, loaded.parameters, place_ / "c" / "tokenizer",
                  Form::full);
  EXPECT_EQ(load_checkpoint(place_ / "c").form, Form::full);
  EXPECT_EQ(read_file(place_ / "c" / "README.md"), "# Mine");
  EXPECT_EQ(read_file(place_ / "c" / "tokenizer" / "none.json"), "{\"size\": 5}\n");
}

TEST_F(Save, ForeignFoldersAreNeverReplaced) {
  const fs::path folder = place_ / "c";
  fs::create_directory(folder);
  tiny_.save(folder);  // an empty one is taken
  const auto refused = [&](const fs::path& name) {
    write_file(folder / name, "precious");
    EXPECT_TRUE(contains(refusal(folder), name.string() + ", which no checkpoint has"))
        << refusal(folder);
    EXPECT_EQ(read_file(folder / name), "precious");
    fs::remove(folder / name);
  };
  refused("notes.txt");
  refused(".hidden");
  refused("tokenizer/sub dir");
  fs::create_directory(folder / "photos");
  EXPECT_TRUE(contains(refusal(folder), "photos"));
  fs::remove(folder / "photos");
  fs::remove(folder / "manifest.json");
  EXPECT_TRUE(contains(refusal(folder), "is not a checkpoint"));
  write_file(place_ / "file", "");
  EXPECT_TRUE(contains(refusal(place_ / "file"), "not a folder"));
}

TEST_F(Save, WrongParametersAreTheCallersMistake) {
  const fs::path folder = place_ / "c";
  const auto refused = [&](auto change, const std::string& part) {
    TinyCheckpoint tiny;
    change(tiny);
    const auto message = message_of<std::invalid_argument>([&] { tiny.save(folder); });
    EXPECT_TRUE(contains(message, part)) << part << ": " << message;
  };
  const float infinity = std::numeric_limits<float>::infinity();
  const char* name = "token_embedding.weight";
  refused([&](auto& t) { t.parameters.erase(name); }, "token_embedding.weight is missing");
  refused([&](auto& t) { t.parameters["extra"]; }, "extra is none");
  refused([&](auto& t) { t.parameters[name].shape = {4, 5}; }, "another shape");
  refused([&](auto& t) { t.parameters[name].values.pop_back(); }, "another shape");
  refused([&](auto& t) { t.parameters[name].values[0] = infinity; }, "infinite");
  refused([&](auto& t) { t.parameters[name].values[0] = std::nanf(""); }, "infinite");
  refused(
      [&](auto& t) {  // finite as float32 alone
        t.config.storage = StorageType::bfloat16;
        t.parameters[name].values[0] = std::numeric_limits<float>::max();
      },
      "infinite");
  refused([&](auto& t) { t.parameters["final_norm.bias"].values[0] = -0.0F; },
          "not what seed 7 gives");
  refused([&](auto& t) { t.config.end = 5; }, "end");
  EXPECT_FALSE(fs::exists(folder));
  // The full form can hold frozen values from elsewhere.
  tiny_.parameters["final_norm.bias"].values[0] = 2.0F;
  tiny_.save(folder, Form::full);
  EXPECT_EQ(load_checkpoint(folder).parameters.at("final_norm.bias").values[0], 2.0F);
}

TEST_F(Save, TokenizerFoldersThatCannotBeCopied) {
  const auto message = [&](const fs::path& tokenizer) {
    return message_of<std::runtime_error>([&] {
      save_checkpoint(place_ / "c", tiny_.config, tiny_.parameters, tokenizer, Form::full);
    });
  };
  EXPECT_TRUE(contains(message(place_ / "none"), "No such file"));
  fs::create_directory(place_ / "empty");
  EXPECT_TRUE(contains(message(place_ / "empty"), "no files"));
  fs::create_directory(place_ / "odd");
  write_file(place_ / "odd" / "a b", "");
  EXPECT_TRUE(contains(message(place_ / "odd"), "rename it"));
  fs::create_directory(place_ / "nested");
  fs::create_directory(place_ / "nested" / "deeper");
  EXPECT_TRUE(contains(message(place_ / "nested"), "deeper is a folder"));
  EXPECT_FALSE(fs::exists(place_ / "c"));
}

// Each limit makes another write fail: of the configuration, the tensors, the tokenizer, the
// manifest.
TEST_F(Save, AFullDiskLeavesTheOldCheckpoint) {
  tiny_.save(place_ / "c");
  const std::string before = load_checkpoint(place_ / "c").hash;
  tiny_.parameters["token_embedding.weight"].values[0] = 3.0F;
  uint64_t largest = 0;
  for (const auto& entry : fs::recursive_directory_iterator(place_ / "c")) {
    if (entry.is_regular_file()) largest = std::max(largest, uint64_t{entry.file_size()});
  }
  const auto tokenizer = place_ / "tiny-tokenizer";
  int failures = 0;
  for (uint64_t bytes = 0; bytes <= largest; bytes += 1 + largest / 50) {
    try {
      const FileSizeLimit limit(bytes);
      save_checkpoint(place_ / "c", tiny_.config, tiny_.parameters, tokenizer, Form::compact);
    } catch (const std::runtime_error&) {
      ++failures;
      ASSERT_EQ(load_checkpoint(place_ / "c").hash, before) << bytes;
    }
    ASSERT_EQ(std::distance(fs::directory_iterator(place_.path()), {}), 2)
        << "nothing is left over";
  }
  EXPECT_GE(failures, 40);
  tiny_.save(place_ / "c");
  EXPECT_NE(load_checkpoint(place_ / "c").hash, before);
}

// Old or new, whenever the writer dies. Any moment is right: no outcome depends on the timing.
TEST_F(Save, AKilledWriterLeavesAWholeCheckpoint) {
  TinyCheckpoint other;
  other.parameters["token_embedding.weight"].values[0] = 3.0F;
  tiny_.save(place_ / "c");
  for (int kill = 0; kill < 40; ++kill) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (;;) {
        other.save(place_ / "c");
        tiny_.save(place_ / "c");
      }
    }
    ::usleep(static_cast<useconds_t>(200 + 173 * kill));
    ::kill(child, SIGKILL);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    const float value =
        load_checkpoint(place_ / "c").parameters.at("token_embedding.weight").values[0];
    EXPECT_TRUE(value == 3.0F || value == tiny_.parameters.at("token_embedding.weight").values[0]);
  }
  tiny_.save(place_ / "c");
  EXPECT_EQ(std::distance(fs::directory_iterator(place_.path()), {}), 2) << "leftovers are removed";
}

TEST_F(Save, ReadersSeeTheOldOrTheNewCheckpoint) {
  TinyCheckpoint other;
  other.parameters["token_embedding.weight"].values[0] = 3.0F;
  tiny_.save(place_ / "c");
  const std::string first = load_checkpoint(place_ / "c").hash;
  other.save(place_ / "c");
  const std::string second = load_checkpoint(place_ / "c").hash;
  std::atomic<bool> writing = true;
  std::atomic<int> reads = 0;
  const auto read = [&] {
    while (writing || reads < 20) {
      std::string hash;
      ASSERT_NO_THROW(hash = load_checkpoint(place_ / "c").hash);
      ASSERT_TRUE(hash == first || hash == second);
      ++reads;
    }
  };
  std::thread reader1(read);
  std::thread reader2(read);
  for (int i = 0; i < 40; ++i) (i % 2 == 0 ? tiny_ : other).save(place_ / "c");
  writing = false;
  reader1.join();
  reader2.join();
  EXPECT_EQ(load_checkpoint(place_ / "c").hash, second);
}

}  // namespace
}  // namespace mesita::checkpoint
