#include "tokenizer/utf8.h"

#include <cstdint>
#include <cstring>
#include <stdexcept>

namespace mesita::tokenizer {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// What stands at the beginning of some bytes: a character, a maximal invalid part, or the
/// beginning of a character that the bytes end in.
struct Unit {
  enum class Kind { character, invalid, unfinished };
  Kind kind;
  size_t length;
};

uint8_t byte_at(std::string_view text, size_t i) {
  return static_cast<uint8_t>(text[i]);
}

// The table of Unicode's "well-formed UTF-8 byte sequences": only the second byte has ranges of
// its own, which exclude overlong forms, surrogates and values above U+10FFFF.
Unit first_unit(std::string_view text) {
  const uint8_t lead = byte_at(text, 0);
  if (lead < 0x80) return {Unit::Kind::character, 1};
  if (lead < 0xC2 || lead > 0xF4) return {Unit::Kind::invalid, 1};
  const size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  uint8_t low = 0x80;
  uint8_t high = 0xBF;
  if (lead == 0xE0) low = 0xA0;
  if (lead == 0xED) high = 0x9F;
  if (lead == 0xF0) low = 0x90;
  if (lead == 0xF4) high = 0x8F;
  for (size_t i = 1; i < length; ++i) {
    if (i == text.size()) return {Unit::Kind::unfinished, i};
    const uint8_t next = byte_at(text, i);
    if (next < low || next > high) return {Unit::Kind::invalid, i};
    low = 0x80;
    high = 0xBF;
  }
  return {Unit::Kind::character, length};
}

/// Length of the ASCII run at `begin`, counted by eights.
size_t ascii_run(std::string_view text, size_t begin) {
  size_t i = begin;
  for (uint64_t eight = 0; i + 8 <= text.size(); i += 8) {
    std::memcpy(&eight, text.data() + i, 8);
    if ((eight & 0x8080808080808080ULL) != 0) break;
  }
  return i - begin;
}

}  // namespace

size_t find_invalid_utf8(std::string_view text) {
  size_t i = 0;
  while (i < text.size()) {
    i += ascii_run(text, i);
    if (i == text.size()) break;
    const Unit unit = first_unit(text.substr(i));
    if (unit.kind != Unit::Kind::character) return i;
    i += unit.length;
  }
  return std::string_view::npos;
}

void require_utf8(std::string_view text, std::string_view what) {
  const size_t position = find_invalid_utf8(text);
  if (position == std::string_view::npos) return;
  throw std::invalid_argument(std::string(what) + " is not valid UTF-8 at byte " +
                              std::to_string(position) + " of " + std::to_string(text.size()));
}

size_t whole_characters(std::string_view text) {
  // An unfinished character has at most three bytes, the first of them a lead byte.
  for (size_t back = 1; back <= 3 && back <= text.size(); ++back) {
    const size_t begin = text.size() - back;
    if (byte_at(text, begin) < 0xC0) continue;
    const bool unfinished = first_unit(text.substr(begin)).kind == Unit::Kind::unfinished;
    return unfinished ? begin : text.size();
  }
  return text.size();
}

std::string replace_invalid_utf8(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  size_t i = 0;
  while (i < text.size()) {
    const size_t run = ascii_run(text, i);
    result.append(text.substr(i, run));
    i += run;
    if (i == text.size()) break;
    const Unit unit = first_unit(text.substr(i));
    result.append(unit.kind == Unit::Kind::character ? text.substr(i, unit.length) : kReplacement);
    i += unit.length;
  }
  return result;
}

size_t floor_to_character(std::string_view text, size_t limit) {
  if (limit >= text.size()) return text.size();
  while (limit > 0 && (byte_at(text, limit) & 0xC0) == 0x80) --limit;
  return limit;
}

}  // namespace mesita::tokenizer
