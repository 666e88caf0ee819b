#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/http/token_logprob.h"

namespace mesita::http {

/// One entry of the logprob arrays.
struct TokenEntry {
  std::string text;    // see token_text.h
  int64_t offset = 0;  // code points of the choice's text before the token
  TokenLogprob logprob;
};

/// What a choice gains at once: text that is certain, and entries. Concatenated they are the whole
/// answer, whichever way it travels.
struct ChoiceDelta {
  std::string text;
  std::vector<TokenEntry> entries;           // only when logprobs are reported
  int64_t tokens = 0;                        // drawn
  std::optional<std::string> finish_reason;  // "stop" or "length": the last delta

  bool empty() const { return text.empty() && entries.empty() && !finish_reason; }
};

}  // namespace mesita::http
