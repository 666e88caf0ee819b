#pragma once

#include <string_view>

namespace mesita::corpus {

/// A text without the blank lines in front of it, behind it and without its last line end. Blanks
/// in front of its first word, on the same line, stay.
std::string_view without_blank_lines_around(std::string_view text);

}  // namespace mesita::corpus
