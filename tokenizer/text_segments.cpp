#include "tokenizer/text_segments.h"

#include "tokenizer/utf8.h"

namespace mesita::tokenizer {

size_t first_segment(std::string_view text, size_t limit) {
  if (text.size() <= limit) return text.size();
  for (size_t i = limit; i > 0; --i) {
    if (text[i] == ' ' && text[i - 1] != ' ') return i;
  }
  const size_t newline = text.rfind('\n', limit - 1);
  if (newline != std::string_view::npos) return newline + 1;
  return floor_to_character(text, limit);
}

}  // namespace mesita::tokenizer
