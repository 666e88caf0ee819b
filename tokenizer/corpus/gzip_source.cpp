#include "tokenizer/corpus/gzip_source.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

#include "tokenizer/corpus/read_buffer.h"

namespace mesita::corpus {
namespace {

constexpr std::string_view kGzipMagic = "\x1F\x8B\x08";  // the last: deflate, the only method

}  // namespace

void GzipSource::Freed::operator()(z_stream_s* stream) const {
  inflateEnd(stream);
  delete stream;
}

GzipSource::GzipSource(FileBytes file) : ByteSource(std::move(file)), stream_(new z_stream_s{}) {
  constexpr int kGzipOnly = 16 + MAX_WBITS;
  if (inflateInit2(stream_.get(), kGzipOnly) != Z_OK) throw std::bad_alloc();
}

bool GzipSource::recognises(std::string_view head) {
  return head.starts_with(kGzipMagic);
}

bool GzipSource::may_become(std::string_view head) {
  return kGzipMagic.starts_with(head);
}

bool GzipSource::next_input() {
  const bool any = refill(input_, packed());
  stream_->next_in = reinterpret_cast<Bytef*>(input_.data());
  stream_->avail_in = static_cast<uInt>(input_.size());
  return any;
}

size_t GzipSource::fill(char* to, size_t most) {
  const size_t room = std::min<size_t>(most, std::numeric_limits<uInt>::max());
  stream_->next_out = reinterpret_cast<Bytef*>(to);
  stream_->avail_out = static_cast<uInt>(room);
  while (stream_->avail_out == room) {
    const bool ended = stream_->avail_in == 0 && !next_input();
    if (ended && !inside_) return 0;
    inside_ = true;
    // Also at the end of the file: zlib may hold output that did not fit before.
    const int result = inflate(stream_.get(), Z_NO_FLUSH);
    if (ended && stream_->avail_out == room) {
      set_damage(bytes_read(), "the gzip archive ends inside a member");
      return 0;
    }
    if (result == Z_STREAM_END) {
      inside_ = false;
      inflateReset(stream_.get());
    } else if (result == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      const char* reason = stream_->msg != nullptr ? stream_->msg : "unknown reason";
      set_damage(bytes_read() - stream_->avail_in,
                 std::string("the gzip archive is damaged: ") + reason);
      break;
    }
  }
  return room - stream_->avail_out;
}

}  // namespace mesita::corpus
