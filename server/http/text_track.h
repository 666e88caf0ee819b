#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tokenizer/incremental_decoder.h"
#include "tokenizer/tokenizer.h"

namespace mesita::http {

/// Code points of valid UTF-8.
int64_t count_code_points(std::string_view text);

/// Ids one at a time -> text that is certain, and where each token stands in it.
class TextTrack {
 public:
  /// `offset`: code points of the text before the first token. The tokenizer must outlive this.
  TextTrack(const tokenizer::Tokenizer& tokenizer, tokenizer::Tokenizer::Place place,
            int64_t offset);

  struct Step {
    std::string text;    // became certain with this token
    std::string shown;   // the token by itself, see token_text.h
    int64_t offset = 0;  // code points before the token; inside a character, before that character
    tokenizer::Tokenizer::Place place = tokenizer::Tokenizer::Place::inside;  // of the token
  };
  Step push(int32_t id);
  /// The remainder of the text.
  std::string finish();
  /// Code points so far.
  int64_t offset() const { return offset_; }

 private:
  const tokenizer::Tokenizer* tokenizer_;
  tokenizer::IncrementalDecoder decoder_;
  tokenizer::Tokenizer::Place place_;
  int64_t offset_;
  std::string pending_;  // the bytes of an incomplete character, as the decoder holds them
};

}  // namespace mesita::http
