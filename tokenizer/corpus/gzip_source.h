#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tokenizer/corpus/byte_source.h"

struct z_stream_s;

namespace mesita::corpus {

/// A gzip file (RFC 1952): any number of members behind each other. Their checksums are checked.
class GzipSource final : public ByteSource {
 public:
  explicit GzipSource(FileBytes file);

  /// Whether a file with these first bytes is a gzip file, or was cut in front of its third byte.
  static bool recognises(std::string_view head);
  static bool may_become(std::string_view head);

 private:
  size_t fill(char* to, size_t most) override;
  bool next_input();

  struct Freed {
    void operator()(z_stream_s* stream) const;
  };
  std::unique_ptr<z_stream_s, Freed> stream_;
  std::string input_;
  bool inside_ = false;  // a member has begun and not ended
};

}  // namespace mesita::corpus
