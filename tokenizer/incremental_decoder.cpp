#include "tokenizer/incremental_decoder.h"

#include <optional>
#include <utility>

#include "tokenizer/utf8.h"

namespace mesita::tokenizer {

IncrementalDecoder::IncrementalDecoder(const Tokenizer& tokenizer, Tokenizer::Place place,
                                       Tokenizer::Specials specials)
    : tokenizer_(&tokenizer), first_(place), place_(place), specials_(specials) {}

std::string IncrementalDecoder::push(int32_t id) {
  // bytes_of first: it is what refuses an id outside the vocabulary.
  std::string bytes = tokenizer_->bytes_of(id, place_);
  if (const std::optional<std::string> name = tokenizer_->special_name(id)) {
    if (specials_ == Tokenizer::Specials::spelled) bytes = *name;
  } else {
    place_ = Tokenizer::Place::inside;
  }
  pending_ += bytes;
  const size_t whole = whole_characters(pending_);
  std::string text = replace_invalid_utf8(std::string_view(pending_).substr(0, whole));
  pending_.erase(0, whole);
  return text;
}

std::string IncrementalDecoder::finish() {
  place_ = first_;
  return replace_invalid_utf8(std::exchange(pending_, {}));
}

}  // namespace mesita::tokenizer
