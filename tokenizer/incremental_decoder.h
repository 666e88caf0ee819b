#pragma once

#include <cstdint>
#include <string>

#include "tokenizer/tokenizer.h"

namespace mesita::tokenizer {

/// Ids one at a time -> whole UTF-8. The concatenation of what push() and finish() return is
/// exactly Tokenizer::decode of all ids, for every cut. Bytes that cannot begin or continue a valid
/// character become U+FFFD, one for each maximal invalid part (the WHATWG rule).
class IncrementalDecoder {
 public:
  /// `place`: whether the first id opens a text or continues one. `specials`: whether special ids
  /// add nothing or their names. The tokenizer must outlive this.
  explicit IncrementalDecoder(const Tokenizer& tokenizer,
                              Tokenizer::Place place = Tokenizer::Place::start,
                              Tokenizer::Specials specials = Tokenizer::Specials::hidden);

  /// Text that became certain with this id; may be empty.
  std::string push(int32_t id);
  /// The remainder: incomplete characters as U+FFFD. The decoder is then as new.
  std::string finish();

 private:
  const Tokenizer* tokenizer_;
  Tokenizer::Place first_;
  Tokenizer::Place place_;
  Tokenizer::Specials specials_;
  std::string pending_;  // an incomplete character, at most 3 bytes
};

}  // namespace mesita::tokenizer
