#include "tokenizer/corpus/blank_lines.h"

#include <algorithm>

namespace mesita::corpus {

std::string_view without_blank_lines_around(std::string_view text) {
  constexpr std::string_view kAround = " \t\r\n";
  const size_t first = text.find_first_not_of(kAround);
  if (first == std::string_view::npos) return {};
  const size_t before = text.substr(0, first).rfind('\n');
  const size_t begin = before == std::string_view::npos ? 0 : before + 1;
  const size_t last = text.find_last_not_of(kAround);
  size_t end = std::min(text.find('\n', last), text.size());
  if (end < text.size() && text[end - 1] == '\r') --end;
  return text.substr(begin, end - begin);
}

}  // namespace mesita::corpus
