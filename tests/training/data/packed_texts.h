#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "tests/support/temporary_directory.h"
#include "tests/support/tiny_tokenizer.h"
#include "training/data/packing.h"

namespace mesita::training {

/// A folder with a tokenizer, and texts to pack with it.
class PackedTexts {
 public:
  PackedTexts() {
    static const std::string model = testing::tiny_sentencepiece_model();
    std::filesystem::create_directory(folder_ / "tokenizer");
    write("tokenizer/tokenizer.model", model);
  }

  std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }
  std::filesystem::path write(const std::string& name, std::string_view text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  /// A .jsonl file of `count` documents, every third of set "b", the others of "a".
  std::filesystem::path write_lines(const std::string& name, int count, int first = 0) const {
    std::string text;
    for (int i = first; i < first + count; ++i) {
      std::string story = testing::tiny_sentence(i);
      if (story.back() == '\n') story.pop_back();
      text += "{\"text\": \"" + story + "\", \"meta\": {\"pile_set_name\": \"" +
              (i % 3 == 0 ? "b" : "a") + "\"}}\n";
    }
    return write(name, text);
  }
  PackRequest request(std::vector<std::filesystem::path> inputs,
                      const std::string& out = "pack") const {
    return {.inputs = std::move(inputs), .tokenizer = folder_ / "tokenizer", .out = folder_ / out};
  }
  std::string content(const std::string& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  testing::TemporaryDirectory folder_;
};

}  // namespace mesita::training
