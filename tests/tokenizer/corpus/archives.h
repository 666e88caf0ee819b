#pragma once

#include <zlib.h>
#include <zstd.h>

#include <stdexcept>
#include <string>

namespace mesita::testing {

/// One zstd frame with a checksum.
inline std::string zstd_packed(const std::string& text, int window_log = 0) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  if (window_log > 0) {
    ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
    ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
  }
  std::string packed(ZSTD_compressBound(text.size()) + 64, '\0');
  // As a stream: without the size of the text known, the window is kept as asked for.
  ZSTD_inBuffer in{text.data(), text.size(), 0};
  ZSTD_outBuffer out{packed.data(), packed.size(), 0};
  ZSTD_compressStream2(context, &out, &in, ZSTD_e_flush);
  const size_t left = ZSTD_compressStream2(context, &out, &in, ZSTD_e_end);
  ZSTD_freeCCtx(context);
  if (left != 0) throw std::logic_error("zstd did not finish");
  packed.resize(out.pos);
  return packed;
}

/// A zstd frame that holds no text.
inline std::string zstd_skippable(const std::string& content) {
  std::string frame("\x50\x2A\x4D\x18", 4);
  for (int i = 0; i < 4; ++i) {
    frame += static_cast<char>((content.size() >> (8 * i)) & 0xFFU);
  }
  return frame + content;
}

/// One gzip member.
inline std::string gzip_packed(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int result = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (result != Z_STREAM_END) throw std::logic_error("zlib did not finish");
  return packed;
}

}  // namespace mesita::testing
