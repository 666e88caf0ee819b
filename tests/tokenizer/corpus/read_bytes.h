#pragma once

#include <string>

#include "tokenizer/corpus/byte_source.h"

namespace mesita::testing {

/// All bytes of a source, read `step` at a time.
inline std::string read_all(corpus::ByteSource& source, size_t step = 65536) {
  std::string all, part(step, '\0');
  while (const size_t count = source.read(part.data(), step)) all.append(part, 0, count);
  return all;
}

/// Text that does not pack well, over many lines.
inline std::string noisy_text(size_t bytes) {
  std::string text;
  uint32_t state = 1;
  while (text.size() < bytes) {
    state = state * 1664525U + 1013904223U;
    text += static_cast<char>('a' + (state >> 24U) % 26U);
    if ((state >> 16U) % 50U == 0) text += '\n';
  }
  return text;
}

}  // namespace mesita::testing
