#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mesita::tokenizer {

/// Position of the first byte that does not begin a valid UTF-8 character (RFC 3629: no overlong
/// forms, no surrogates, nothing above U+10FFFF), or std::string_view::npos when all is valid.
size_t find_invalid_utf8(std::string_view text);

/// Throws std::invalid_argument that names the byte when `text` is not valid UTF-8. `what` opens
/// the message: "prompt", "text".
void require_utf8(std::string_view text, std::string_view what);

/// Length of the longest prefix that does not end inside a character: text.size(), or up to three
/// bytes less when the last bytes could still become a valid character.
size_t whole_characters(std::string_view text);

/// The text with every maximal invalid part replaced by U+FFFD (the WHATWG decoding rule).
/// Replacing is the same in one go or in parts that were cut by whole_characters().
std::string replace_invalid_utf8(std::string_view text);

/// Largest position at most `limit` that does not split a character of a valid text.
size_t floor_to_character(std::string_view text, size_t limit);

}  // namespace mesita::tokenizer
