#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace mesita::http {

/// Reads up to that many bytes: 0 at the end, -1 on errors.
using ByteReader = std::function<ssize_t(char*, size_t)>;

/// Reads a chunked body (RFC 9112, section 7.1) up to and with its last line and returns what it
/// carries. Extensions and trailers are dropped. Strict, so that nobody in between can have seen
/// another end: a size is hexadecimal digits alone and every line ends in CR LF. Throws ApiError:
/// 400 (malformed or incomplete), 413 (more than `max_body` bytes).
std::string read_chunked_body(const ByteReader& read, uint64_t max_body);

}  // namespace mesita::http
