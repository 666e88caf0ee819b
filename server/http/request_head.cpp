#include "server/http/request_head.h"

#include <algorithm>
#include <charconv>

#include "server/http/api_error.h"
#include "server/http/url_path.h"

namespace mesita::http {

namespace {

constexpr auto kType = "invalid_request_error";

ApiError refuse(int status, const std::string& message) {
  return {status, kType, message};
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Lines of the head, which must all end in CR LF and hold no other control characters but tabs.
std::vector<std::string_view> split_lines(std::string_view head, const RequestLimits& limits) {
  std::vector<std::string_view> lines;
  head.remove_suffix(2);  // the empty line
  while (!head.empty()) {
    const size_t end = head.find("\r\n");
    if (end == std::string_view::npos) throw refuse(400, "malformed request head");
    const std::string_view line = head.substr(0, end);
    if (line.size() > limits.max_line) {
      throw lines.empty()
          ? refuse(414,
                   "the request line is longer than " + std::to_string(limits.max_line) + " bytes")
          : refuse(431, "a header is longer than " + std::to_string(limits.max_line) + " bytes");
    }
    const auto forbidden = [](char c) {
      return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7F;
    };
    if (std::any_of(line.begin(), line.end(), forbidden)) {
      throw refuse(400, "control characters in the request head");
    }
    if (lines.size() > limits.max_headers) {
      throw refuse(431, "more than " + std::to_string(limits.max_headers) + " headers");
    }
    lines.push_back(line);
    head.remove_prefix(end + 2);
  }
  if (lines.empty()) throw refuse(400, "the request line is missing");
  return lines;
}

void parse_request_line(std::string_view line, RequestHead& head) {
  const size_t first = line.find(' ');
  const size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) {
    throw refuse(400, "malformed request line");
  }
  head.method = line.substr(0, first);
  head.target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  if (!is_token(head.method)) throw refuse(400, "malformed method");
  if (version == "HTTP/1.0") {
    head.http_1_0 = true;
  } else if (version != "HTTP/1.1") {
    throw version.starts_with("HTTP/") ? refuse(505, "only HTTP/1.1 and HTTP/1.0 are spoken here")
                                       : refuse(400, "malformed request line");
  }
  if (head.target == "*" && head.method == "OPTIONS") {
    head.path = "*";
    return;
  }
  const auto path = path_of_target(head.target);
  if (!path) throw refuse(400, "malformed request target: a path is expected");
  head.path = *path;
}

void parse_header(std::string_view line, RequestHead& head) {
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) {
    throw refuse(400, "malformed header");
  }
  head.headers.emplace_back(line.substr(0, colon), trimmed(line.substr(colon + 1)));
}

/// The one value of a header that must not be repeated.
std::optional<std::string_view> single(const RequestHead& head, std::string_view name) {
  std::optional<std::string_view> value;
  for (const auto& [key, text] : head.headers) {
    if (!equal_ignoring_case(key, name)) continue;
    if (value) throw refuse(400, std::string(name) + " appears twice");
    value = text;
  }
  return value;
}

void check_framing(RequestHead& head, const RequestLimits& limits) {
  const auto length = single(head, "Content-Length");
  const auto encoding = single(head, "Transfer-Encoding");
  if (length && encoding) throw refuse(400, "Content-Length and Transfer-Encoding together");
  if (encoding) {
    if (!equal_ignoring_case(*encoding, "chunked")) {
      throw refuse(501, "Transfer-Encoding other than chunked");
    }
    if (head.http_1_0) throw refuse(400, "Transfer-Encoding in HTTP/1.0");
    head.framing = Framing::chunked;
  }
  if (length) {
    const char* end = length->data() + length->size();
    const auto parsed = std::from_chars(length->data(), end, head.content_length);
    const bool digits =
        std::all_of(length->begin(), length->end(), [](char c) { return c >= '0' && c <= '9'; });
    if (length->empty() || !digits) throw refuse(400, "malformed Content-Length");
    if (parsed.ec != std::errc() || head.content_length > limits.max_body) {
      throw refuse(413, "the body is longer than " + std::to_string(limits.max_body) + " bytes");
    }
    if (head.content_length > 0) head.framing = Framing::length;
  }
  // Without a length, what follows such a request could only be guessed.
  if (!length && !encoding && (head.method == "POST" || head.method == "PUT")) {
    throw refuse(411, "the length of the body is missing");
  }
  if (single(head, "Content-Encoding").value_or("identity") != "identity") {
    throw refuse(415, "bodies with Content-Encoding are not accepted: send plain JSON");
  }
}

/// Whether a Connection header lists that option.
bool has_connection_option(const RequestHead& head, std::string_view option) {
  for (const auto& [key, value] : head.headers) {
    if (!equal_ignoring_case(key, "Connection")) continue;
    std::string_view list = value;
    while (true) {
      const size_t comma = list.find(',');
      if (equal_ignoring_case(trimmed(list.substr(0, comma)), option)) return true;
      if (comma == std::string_view::npos) break;
      list.remove_prefix(comma + 1);
    }
  }
  return false;
}

void check_connection(RequestHead& head) {
  head.keep_alive = !has_connection_option(head, "close") &&
                    (!head.http_1_0 || has_connection_option(head, "keep-alive"));
  const auto host = single(head, "Host");
  if (!host && !head.http_1_0) throw refuse(400, "the Host header is missing");
  if (host && !host->empty() && !host_name(*host)) throw refuse(400, "malformed Host header");
  if (const auto expect = single(head, "Expect")) {
    if (!equal_ignoring_case(*expect, "100-continue")) {
      throw refuse(417, "the only expectation that can be met is 100-continue");
    }
    head.expects_continue = head.framing != Framing::none;
  }
}

}  // namespace

std::optional<std::string_view> RequestHead::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (equal_ignoring_case(key, name)) return value;
  }
  return std::nullopt;
}

size_t head_size(std::string_view bytes, size_t from) {
  const size_t at = bytes.find("\r\n\r\n", from);
  return at == std::string_view::npos ? at : at + 4;
}

void parse_head(std::string_view text, const RequestLimits& limits, RequestHead& head) {
  const std::vector<std::string_view> lines = split_lines(text, limits);
  parse_request_line(lines[0], head);
  for (size_t i = 1; i < lines.size(); ++i) parse_header(lines[i], head);
  check_framing(head, limits);
  check_connection(head);
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

bool is_token(std::string_view text) {
  const auto token_char = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), token_char);
}

}  // namespace mesita::http
