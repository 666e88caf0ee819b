#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "model/checkpoint/file_descriptor.h"
#include "tokenizer/tokenizer.h"
#include "training/data/pack_format.h"

namespace mesita::training {

/// A document that goes into a pack.
struct EncodedDocument {
  std::vector<int32_t> ids;  // with start and end
  int64_t bytes = 0;         // of its text
  std::string set;
};

/// Writes a pack into a hidden folder beside the target, ".NAME.packing", which takes the target's
/// name when it is whole. What was written up to the last save() survives a crash: the next writer
/// for the same target and inputs goes on there.
class PackWriter {
 public:
  /// `fresh` says what is going to be packed: type, tokenizer, marks and inputs; all counts are 0.
  /// Throws std::runtime_error when the target exists, when another process packs into it, when an
  /// unfinished pack of other inputs lies there, or when the disk refuses.
  PackWriter(const std::filesystem::path& target, const PackInfo& fresh);

  /// Where to go on; {0, 0} for a new pack.
  const PackPlace& place() const { return place_; }
  const PackInfo& info() const { return info_; }
  /// Of inputs[input]: what was left out so far.
  PackedInput& input(size_t input) { return info_.inputs.at(input); }

  /// Throws std::runtime_error when the disk is full or fails.
  void append(const EncodedDocument& document, size_t input);
  /// Makes all that was appended, and the place, durable.
  void save(const PackPlace& place);
  /// Adds the tokenizer and pack.json and gives the folder its name. Last call.
  void finish(const tokenizer::Tokenizer& tokenizer);

 private:
  /// Appends to a file, through a buffer.
  struct Appender {
    std::filesystem::path path;
    checkpoint::FileDescriptor file;
    std::vector<std::byte> buffer;

    /// Opens the file, cut to its first `bytes`.
    void open(uint64_t bytes);
    void flush();
    void sync();
  };

  bool read_place(const PackInfo& fresh);
  void write_whole(const char* name, const std::string& text) const;

  std::filesystem::path target_, folder_;
  checkpoint::FileDescriptor lock_;
  PackPlace place_;
  PackInfo info_;
  Appender tokens_, documents_;
};

}  // namespace mesita::training
