#pragma once

#include <cstddef>
#include <string_view>

namespace mesita::tokenizer {

/// Longest part of a text that SentencePiece sees at once, in bytes (see README.md, "Long texts").
/// Its BPE trainer also needs words of less than 32,768 characters: 0.1.97 shifts their positions
/// beyond the sign bit and crashes.
inline constexpr size_t kSegmentBytes = 16384;

/// Where a long text is cut before it is encoded: length of the first part of `text`, at most
/// `limit` bytes (which must be at least 4). In order of preference: the whole text; in front of
/// the last run of blanks that follows something else, where no piece of an ordinary model reaches
/// across; behind the last newline; behind the last whole character.
size_t first_segment(std::string_view text, size_t limit);

}  // namespace mesita::tokenizer
