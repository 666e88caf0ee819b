#include "tokenizer/corpus/byte_source.h"

#include <algorithm>

#include "tokenizer/corpus/gzip_source.h"
#include "tokenizer/corpus/zstd_source.h"

namespace mesita::corpus {
namespace {

class PlainSource final : public ByteSource {
 public:
  using ByteSource::ByteSource;

 private:
  size_t fill(char* to, size_t most) override { return packed().read(to, most); }
};

/// An archive that ended before its kind could be seen.
class CutSource final : public ByteSource {
 public:
  using ByteSource::ByteSource;

 private:
  size_t fill(char*, size_t) override {
    const size_t bytes = packed().head().size();
    set_damage(bytes, bytes == 0 ? "the archive is empty" : "the archive ends in its first bytes");
    return 0;
  }
};

}  // namespace

size_t ByteSource::read(char* to, size_t most) {
  if (peeked_used_ < peeked_.size()) {
    const size_t count = std::min(most, peeked_.size() - peeked_used_);
    std::copy_n(peeked_.data() + peeked_used_, count, to);
    peeked_used_ += count;
    return count;
  }
  return damage_.empty() ? fill(to, most) : 0;
}

std::string_view ByteSource::peek(size_t most) {
  while (peeked_.size() < most && damage_.empty()) {
    const size_t before = peeked_.size();
    peeked_.resize(most);
    const size_t count = fill(peeked_.data() + before, most - before);
    peeked_.resize(before + count);
    if (count == 0) break;
  }
  return std::string_view(peeked_).substr(0, most);
}

void ByteSource::set_damage(uint64_t byte, const std::string& reason) {
  damage_ = "byte " + std::to_string(byte) + " of the file: " + reason;
}

std::unique_ptr<ByteSource> open_bytes(const std::filesystem::path& file) {
  FileBytes bytes(file);
  const std::string_view head = bytes.head();
  const std::string ending = file.extension().string();
  if (ZstdSource::recognises(head)) return std::make_unique<ZstdSource>(std::move(bytes));
  if (GzipSource::recognises(head)) return std::make_unique<GzipSource>(std::move(bytes));
  if ((ending == ".zst" && ZstdSource::may_become(head)) ||
      (ending == ".gz" && GzipSource::may_become(head))) {
    return std::make_unique<CutSource>(std::move(bytes));
  }
  return std::make_unique<PlainSource>(std::move(bytes));
}

}  // namespace mesita::corpus
