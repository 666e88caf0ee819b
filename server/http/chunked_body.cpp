#include "server/http/chunked_body.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "server/http/api_error.h"

namespace mesita::http {

namespace {

constexpr size_t kMaxLine = 1024;  // a size with its extensions, or a trailer
constexpr int kMaxTrailers = 100;

ApiError malformed() {
  return invalid_request("the body could not be read: its chunks are malformed or incomplete");
}

char read_byte(const ByteReader& read) {
  char byte = 0;
  if (read(&byte, 1) != 1) throw malformed();
  return byte;
}

/// A line without its CR LF; no other control characters but tabs are let through.
std::string read_line(const ByteReader& read) {
  std::string line;
  while (true) {
    const char byte = read_byte(read);
    if (byte == '\r') break;
    const bool control = (static_cast<unsigned char>(byte) < 0x20 && byte != '\t') || byte == 0x7F;
    if (control || line.size() == kMaxLine) throw malformed();
    line += byte;
  }
  if (read_byte(read) != '\n') throw malformed();
  return line;
}

uint64_t parse_size(const std::string& line) {
  const char* end = line.data() + line.size();
  uint64_t size = 0;
  // Unsigned from_chars takes neither signs, blanks nor a prefix.
  const auto [rest, error] = std::from_chars(line.data(), end, size, 16);
  if (error != std::errc()) throw malformed();
  const std::string after(rest, end);
  const size_t extension = after.find_first_not_of(" \t");
  if (extension == std::string::npos ? !after.empty() : after[extension] != ';') throw malformed();
  return size;
}

}  // namespace

std::string read_chunked_body(const ByteReader& read, uint64_t max_body) {
  std::string body;
  while (const uint64_t size = parse_size(read_line(read))) {
    if (size > max_body - body.size()) {
      throw ApiError(413, "invalid_request_error",
                     "the body is longer than " + std::to_string(max_body) + " bytes");
    }
    std::array<char, 16384> piece;
    for (uint64_t left = size; left > 0;) {
      const ssize_t got = read(piece.data(), std::min<uint64_t>(left, piece.size()));
      if (got <= 0) throw malformed();
      body.append(piece.data(), static_cast<size_t>(got));
      left -= static_cast<uint64_t>(got);
    }
    if (!read_line(read).empty()) throw malformed();
  }
  for (int trailers = 0; !read_line(read).empty(); ++trailers) {
    if (trailers == kMaxTrailers) throw malformed();
  }
  return body;
}

}  // namespace mesita::http
