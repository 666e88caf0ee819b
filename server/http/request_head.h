#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mesita::http {

/// Bounds on a request.
struct RequestLimits {
  size_t max_line = 8192;       // request line and each header line, without line end
  size_t max_headers = 100;     // header lines
  size_t max_head = 65536;      // all of them together
  uint64_t max_body = 8 << 20;  // bytes, in every framing
};

/// How the end of a body is known.
enum class Framing { none, length, chunked };

/// Request line and headers, strictly parsed (RFC 9112), values exactly as received.
struct RequestHead {
  std::string method;
  std::string target;  // as sent
  std::string path;    // percent-decoded, without query
  bool http_1_0 = false;
  std::vector<std::pair<std::string, std::string>> headers;
  Framing framing = Framing::none;
  uint64_t content_length = 0;
  bool keep_alive = true;
  bool expects_continue = false;

  /// Value of the first header of that name, compared without case; nothing when absent.
  std::optional<std::string_view> header(std::string_view name) const;
};

/// Bytes up to and with the empty line, or npos when it has not arrived. The search may begin where
/// the last one ended minus 3.
size_t head_size(std::string_view bytes, size_t from = 0);

/// Parses a head (its last four bytes are the empty line's) into `head`, which after a refusal
/// holds what was read before it. What a lenient reader might understand differently is refused:
/// bare CR or LF, NUL, folded headers, a blank before the colon, two Content-Length,
/// Transfer-Encoding beside Content-Length or other than `chunked`, a missing, doubled or malformed
/// Host, absolute-form targets. Throws ApiError: 400, 411 (a body without length), 413
/// (Content-Length over the limit), 414, 415 (Content-Encoding), 417 (Expect), 431, 501 (transfer
/// encodings), 505.
void parse_head(std::string_view text, const RequestLimits& limits, RequestHead& head);

/// Equal but for the case of ASCII letters.
bool equal_ignoring_case(std::string_view a, std::string_view b);

/// A header name or method: RFC 9110's token.
bool is_token(std::string_view text);

}  // namespace mesita::http
