#include "server/http/token_text.h"

#include "tokenizer/utf8.h"

namespace mesita::http {

std::string token_text(std::string_view bytes) {
  if (tokenizer::find_invalid_utf8(bytes) == std::string_view::npos) return std::string(bytes);
  constexpr auto kDigits = "0123456789abcdef";
  std::string spelled = "bytes:";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    spelled += "\\x";
    spelled += kDigits[byte >> 4];
    spelled += kDigits[byte & 15];
  }
  return spelled;
}

std::string token_text(const tokenizer::Tokenizer& tokenizer, int32_t id,
                       tokenizer::Tokenizer::Place place) {
  if (tokenizer.kind() == "none") return "token_id:" + std::to_string(id);
  return token_text(tokenizer.bytes_of(id, place));
}

}  // namespace mesita::http
