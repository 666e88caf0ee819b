#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mesita::corpus {

/// U+FEFF in UTF-8, which some programs put at the beginning of a file.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Replaces the content of `buffer` by the next bytes of `source` (FileBytes or ByteSource); false,
/// and nothing in it, at the end.
template <typename Source>
bool refill(std::string& buffer, Source& source) {
  constexpr size_t kBufferBytes = size_t{1} << 18;
  buffer.resize(kBufferBytes);
  buffer.resize(source.read(buffer.data(), kBufferBytes));
  return !buffer.empty();
}

}  // namespace mesita::corpus
