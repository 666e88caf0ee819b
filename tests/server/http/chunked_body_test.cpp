#include "server/http/chunked_body.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "server/http/api_error.h"

namespace mesita::http {
namespace {

/// Reads from `bytes`, at most three at a time, and takes them away.
std::string read_from(std::string& bytes, uint64_t max_body = 1000) {
  const auto read = [&bytes](char* data, size_t size) {
    const size_t taken = std::min({size, bytes.size(), size_t{3}});
    std::memcpy(data, bytes.data(), taken);
    bytes.erase(0, taken);
    return static_cast<ssize_t>(taken);
  };
  return read_chunked_body(read, max_body);
}

int refused(std::string bytes, uint64_t max_body = 1000) {
  try {
    read_from(bytes, max_body);
  } catch (const ApiError& error) {
    return error.status();
  }
  return 0;
}

TEST(ChunkedBody, JoinsChunksAndStopsAtTheirEnd) {
  std::string bytes = "3;x=y\r\nabc\r\n00A \t;q=\"z\"\r\n0123456789\r\n0\r\nTrailer: 1\r\n\r\nnext";
  EXPECT_EQ(read_from(bytes), "abc0123456789");
  EXPECT_EQ(bytes, "next");
  bytes = "0\r\n\r\n";
  EXPECT_EQ(read_from(bytes), "");
}

TEST(ChunkedBody, SizesAreHexadecimalDigitsAlone) {
  for (const auto* size : {"5zzz", "+5", "0x5", " 5", "-2", "", "g", "5 5", "5 ", "5\t", ";x",
                           "99999999999999999999", "-0", "5,"}) {
    EXPECT_EQ(refused(size + std::string("\r\nabcde\r\n0\r\n\r\n")), 400) << size;
  }
}

TEST(ChunkedBody, LinesEndInCrLf) {
  for (const auto* bytes : {"3\nabc\r\n0\r\n\r\n", "3\r\nabc\n0\r\n\r\n", "3\r\nabc0\r\n\r\n",
                            "3\r\nabcd\r\n0\r\n\r\n", "3\r\nabc\r\n0\n\n", "0\r\nX: y\n\r\n",
                            "3;a\x01\r\nabc\r\n0\r\n\r\n", "3\rabc\r\n0\r\n\r\n"}) {
    EXPECT_EQ(refused(bytes), 400) << bytes;
  }
}

TEST(ChunkedBody, TheEndMustArrive) {
  const std::string whole = "3\r\nabc\r\n0\r\n\r\n";
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(refused(whole.substr(0, size)), 400) << size;
  }
  EXPECT_EQ(refused(whole), 0);
}

TEST(ChunkedBody, AllOfItIsBounded) {
  EXPECT_EQ(refused("5\r\nabcde\r\n5\r\nabcde\r\n0\r\n\r\n", 10), 0);
  EXPECT_EQ(refused("5\r\nabcde\r\n6\r\nabcdef\r\n0\r\n\r\n", 10), 413);
  EXPECT_EQ(refused("FFFFFFFFFFFFFFFF\r\nabc\r\n", 10), 413);
  EXPECT_EQ(refused("3;" + std::string(2000, 'x') + "\r\nabc\r\n0\r\n\r\n"), 400);
  std::string trailers;
  for (int i = 0; i < 200; ++i) trailers += "X: y\r\n";
  EXPECT_EQ(refused("0\r\n" + trailers + "\r\n"), 400);
}

}  // namespace
}  // namespace mesita::http
