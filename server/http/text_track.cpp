#include "server/http/text_track.h"

#include <algorithm>

#include "server/http/token_text.h"
#include "tokenizer/utf8.h"

namespace mesita::http {

namespace {

/// Whether a byte goes on with an incomplete character.
bool continues(std::string_view pending, char byte) {
  const std::string longer = std::string(pending) + byte;
  return tokenizer::whole_characters(longer) == 0 ||
         tokenizer::find_invalid_utf8(longer) == std::string_view::npos;
}

}  // namespace

int64_t count_code_points(std::string_view text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

TextTrack::TextTrack(const tokenizer::Tokenizer& tokenizer, tokenizer::Tokenizer::Place place,
                     int64_t offset)
    : tokenizer_(&tokenizer), decoder_(tokenizer, place), place_(place), offset_(offset) {}

TextTrack::Step TextTrack::push(int32_t id) {
  const std::string bytes = tokenizer_->bytes_of(id, place_);
  Step step{decoder_.push(id), token_text(*tokenizer_, id, place_), offset_, place_};
  // An incomplete character that this token does not go on with counts as one U+FFFD before it.
  if (!pending_.empty() && !bytes.empty() && !continues(pending_, bytes[0])) ++step.offset;
  pending_ += bytes;
  pending_.erase(0, tokenizer::whole_characters(pending_));
  if (!tokenizer_->special_name(id)) place_ = tokenizer::Tokenizer::Place::inside;
  offset_ += count_code_points(step.text);
  return step;
}

std::string TextTrack::finish() {
  std::string rest = decoder_.finish();
  pending_.clear();
  offset_ += count_code_points(rest);
  return rest;
}

}  // namespace mesita::http
