#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tokenizer/corpus/byte_source.h"

struct ZSTD_DCtx_s;

namespace mesita::corpus {

/// A zstd file (RFC 8878): any number of frames, skippable frames among them, windows up to 2 GiB
/// (`zstd --long=31`; the window is what it needs of memory). Checksums are checked where frames
/// have them. A file that was cut exactly between two frames cannot be told from a whole one.
class ZstdSource final : public ByteSource {
 public:
  explicit ZstdSource(FileBytes file);

  /// Whether a file with these first bytes is a zstd file, or was cut in front of its fifth byte.
  static bool recognises(std::string_view head);
  static bool may_become(std::string_view head);

 private:
  size_t fill(char* to, size_t most) override;
  bool next_input();

  struct Freed {
    void operator()(ZSTD_DCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_DCtx_s, Freed> context_;
  std::string input_;
  size_t used_ = 0;       // of input_
  size_t wanted_ = 5;     // bytes that zstd asked for next
  bool inside_ = false;   // a frame has begun and not ended
  bool pending_ = false;  // zstd holds more output than fitted
};

}  // namespace mesita::corpus
