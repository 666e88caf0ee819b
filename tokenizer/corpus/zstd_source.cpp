#include "tokenizer/corpus/zstd_source.h"

#include <zstd.h>

#include <algorithm>
#include <new>
#include <stdexcept>

#include "tokenizer/corpus/read_buffer.h"

namespace mesita::corpus {
namespace {

constexpr std::string_view kZstdMagic = "\x28\xB5\x2F\xFD";
constexpr std::string_view kSkippableMagicEnd = "\x2A\x4D\x18";  // behind a byte 0x50 to 0x5F
constexpr size_t kZstdFrameStart = 5;                            // magic and frame descriptor

bool is_skippable_start(std::string_view head) {
  return !head.empty() && (static_cast<unsigned char>(head[0]) & 0xF0U) == 0x50U;
}

}  // namespace

void ZstdSource::Freed::operator()(ZSTD_DCtx_s* context) const {
  ZSTD_freeDCtx(context);
}

ZstdSource::ZstdSource(FileBytes file) : ByteSource(std::move(file)), context_(ZSTD_createDCtx()) {
  if (context_ == nullptr) throw std::bad_alloc();
  const ZSTD_bounds bounds = ZSTD_dParam_getBounds(ZSTD_d_windowLogMax);
  ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, bounds.upperBound);
}

bool ZstdSource::recognises(std::string_view head) {
  return head.starts_with(kZstdMagic) ||
         (is_skippable_start(head) && head.substr(1).starts_with(kSkippableMagicEnd));
}

bool ZstdSource::may_become(std::string_view head) {
  return kZstdMagic.starts_with(head) ||
         (is_skippable_start(head) && kSkippableMagicEnd.starts_with(head.substr(1)));
}

bool ZstdSource::next_input() {
  used_ = 0;
  return refill(input_, packed());
}

size_t ZstdSource::fill(char* to, size_t most) {
  ZSTD_outBuffer out{to, most, 0};
  while (out.pos == 0) {
    if (!pending_ && used_ == input_.size() && !next_input()) {
      if (inside_) set_damage(bytes_read(), "the zstd archive ends inside a frame");
      return 0;
    }
    // No more than zstd asks for: a call that fails gives nothing, so it must not get blocks
    // that are good together with a damaged one.
    const size_t given = pending_ ? 0 : std::min(wanted_, input_.size() - used_);
    ZSTD_inBuffer in{input_.data() + used_, given, 0};
    const size_t result = ZSTD_decompressStream(context_.get(), &out, &in);
    if (ZSTD_isError(result) != 0) {
      set_damage(bytes_read() - (input_.size() - used_),
                 std::string("the zstd archive is damaged: ") + ZSTD_getErrorName(result));
      return 0;
    }
    used_ += in.pos;
    inside_ = result != 0;
    pending_ = inside_ && out.pos == out.size;
    wanted_ = inside_ ? result : kZstdFrameStart;
  }
  return out.pos;
}

}  // namespace mesita::corpus
