#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tokenizer/tokenizer.h"

namespace mesita::http {

/// How a token is shown by itself, as a key that tells it from others: its text when its bytes are
/// whole characters, else OpenAI's spelling of bytes, `bytes:\xe2\x82`. Special tokens have no
/// text. The tokens of a text, with bytes taken back from that spelling, concatenate to the text.
std::string token_text(std::string_view bytes);
/// The same for an id; a tokenizer without text (kind `none`) has vLLM's spelling, `token_id:7`.
std::string token_text(const tokenizer::Tokenizer& tokenizer, int32_t id,
                       tokenizer::Tokenizer::Place place);

}  // namespace mesita::http
