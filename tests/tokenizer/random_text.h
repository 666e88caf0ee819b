#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace mesita::testing {

inline void append_character(std::string& text, uint32_t code) {
  const auto tail = [&](int shift) { text += static_cast<char>(0x80 | ((code >> shift) & 0x3F)); };
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xC0 | (code >> 6));
    tail(0);
  } else if (code < 0x10000) {
    text += static_cast<char>(0xE0 | (code >> 12));
    tail(6);
    tail(0);
  } else {
    text += static_cast<char>(0xF0 | (code >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

/// A valid UTF-8 text: words, runs of blanks, the characters that SentencePiece treats apart, names
/// of special tokens, and code points of all planes, assigned or not.
inline std::string random_text(std::mt19937& random, size_t parts) {
  static const std::vector<std::string> kParts = {"the",
                                                  "Once",
                                                  "upon",
                                                  "a",
                                                  " ",
                                                  " ",
                                                  " ",
                                                  "  ",
                                                  "   ",
                                                  "\t",
                                                  "\n",
                                                  "\r\n",
                                                  "\n\n",
                                                  std::string(1, '\0'),
                                                  "\xE2\x96\x81",
                                                  "\xE2\x96\x85",
                                                  "<s>",
                                                  "</s>",
                                                  "<unk>",
                                                  "<0x41>",
                                                  "7",
                                                  "42",
                                                  "\xF0\x9F\x98\x80",
                                                  "\xC3\xA9",
                                                  "e\xCC\x81",
                                                  "\xEF\xBF\xBD",
                                                  "\xEF\xBB\xBF",
                                                  "\xEE\x80\x80",
                                                  "\xC2\xA0",
                                                  "\xE3\x80\x80",
                                                  "\xE2\x81\x87"};
  std::string text;
  for (size_t i = 0; i < parts; ++i) {
    if (random() % 4 != 0) {
      text += kParts[random() % kParts.size()];
      continue;
    }
    const uint32_t plane = random() % 17;
    const uint32_t code = plane << 16 | (random() & 0xFFFF);
    if (code < 0xD800 || code > 0xDFFF) append_character(text, code);
  }
  return text;
}

}  // namespace mesita::testing
