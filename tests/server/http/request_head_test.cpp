#include "server/http/request_head.h"

#include <gtest/gtest.h>

#include "server/http/api_error.h"

namespace mesita::http {
namespace {

RequestHead parse(const std::string& lines, const RequestLimits& limits = {}) {
  RequestHead head;
  parse_head(lines + "\r\n", limits, head);
  return head;
}

/// The status with which the head is refused, 0 when it is accepted.
int refused(const std::string& lines, const RequestLimits& limits = {}) {
  try {
    parse(lines, limits);
  } catch (const ApiError& error) {
    return error.status();
  }
  return 0;
}

const std::string kGet = "GET / HTTP/1.1\r\nHost: localhost\r\n";
const std::string kPost = "POST / HTTP/1.1\r\nHost: localhost\r\n";

TEST(RequestHead, ReadsLineAndHeaders) {
  const RequestHead head = parse(
      "POST /a%2Fb?c HTTP/1.1\r\nHost: x:1\r\nContent-Length: 12\r\n"
      "X-Thing:  %0d%0a kept \r\n");
  EXPECT_EQ(head.method, "POST");
  EXPECT_EQ(head.path, "/a/b");
  EXPECT_EQ(head.framing, Framing::length);
  EXPECT_EQ(head.content_length, 12u);
  EXPECT_TRUE(head.keep_alive);
  EXPECT_EQ(head.header("x-thing"), "%0d%0a kept") << "values are not decoded";
  EXPECT_FALSE(head.header("absent"));
}

TEST(RequestHead, FindsTheEmptyLine) {
  EXPECT_EQ(head_size("GET / HTTP/1.1\r\n\r\nrest"), 18u);
  EXPECT_EQ(head_size("GET / HTTP/1.1\r\n"), std::string_view::npos);
}

TEST(RequestHead, RefusesMalformedRequestLines) {
  for (const std::string line :
       {"", "GET", "GET /", "GET / HTTP/1.1 x", "GET  HTTP/1.1", " / HTTP/1.1", "G(T / HTTP/1.1",
        "GET http://other/ HTTP/1.1", "GET * HTTP/1.1", "GET /%zz HTTP/1.1", "GET / FTP/1"}) {
    EXPECT_EQ(refused(line + "\r\nHost: x\r\n"), 400) << line;
  }
  EXPECT_EQ(refused("GET / HTTP/2.0\r\nHost: x\r\n"), 505);
  EXPECT_EQ(refused("OPTIONS * HTTP/1.1\r\nHost: x\r\n"), 0);
}

TEST(RequestHead, RefusesMalformedHeaders) {
  const std::vector<std::string> lines = {"no colon",   ": x",        "X Y: z",
                                          "X : z",      " folded",    "\tfolded",
                                          "X: a\nY: b", "X: a\rY: b", std::string("X: a\0b", 6),
                                          "X\x7f: a",   "X: \x01"};
  for (const std::string& line : lines) {
    EXPECT_EQ(refused(kGet + line + "\r\n"), 400) << line;
  }
}

TEST(RequestHead, BareLineFeedsEndNoLine) {
  EXPECT_EQ(refused("GET / HTTP/1.1\nHost: x\n"), 400);
}

TEST(RequestHead, HostIsNeededOnce) {
  EXPECT_EQ(refused("GET / HTTP/1.1\r\n"), 400);
  EXPECT_EQ(refused(kGet + "host: other\r\n"), 400);
  EXPECT_EQ(refused("GET / HTTP/1.0\r\n"), 0);
  for (const auto* host : {"a b", "[::1", "a:b", "a/b", "a@b", "a:123456", "a,b"}) {
    EXPECT_EQ(refused(std::string("GET / HTTP/1.1\r\nHost: ") + host + "\r\n"), 400) << host;
  }
  for (const auto* host : {"", "a.example:80", "[::1]:8080", "10.0.0.1"}) {
    EXPECT_EQ(refused(std::string("GET / HTTP/1.1\r\nHost: ") + host + "\r\n"), 0) << host;
  }
}

TEST(RequestHead, FramingIsUnambiguous) {
  EXPECT_EQ(refused(kPost), 411);
  EXPECT_EQ(refused(kPost + "Content-Length: 0\r\n"), 0);
  EXPECT_EQ(refused(kPost + "Content-Length: 5\r\nContent-Length: 5\r\n"), 400);
  EXPECT_EQ(refused(kPost + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"), 400);
  for (const auto* value : {"", "-1", "+1", "0x1", "1,1", "1 1", "a"}) {
    EXPECT_EQ(refused(kPost + "Content-Length: " + value + "\r\n"), 400) << value;
  }
  EXPECT_EQ(refused(kPost + "Content-Length: 99999999999999999999\r\n"), 413);
  EXPECT_EQ(parse(kPost + "Transfer-Encoding: Chunked\r\n").framing, Framing::chunked);
  for (const auto* value : {"gzip", "gzip, chunked", "chunked, chunked", "identity"}) {
    EXPECT_EQ(refused(kPost + "Transfer-Encoding: " + value + "\r\n"), 501) << value;
  }
  EXPECT_EQ(refused("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n"), 400);
}

TEST(RequestHead, BodyLimitHoldsForTheDeclaredLength) {
  RequestLimits limits;
  limits.max_body = 100;
  EXPECT_EQ(refused(kPost + "Content-Length: 100\r\n", limits), 0);
  EXPECT_EQ(refused(kPost + "Content-Length: 101\r\n", limits), 413);
}

TEST(RequestHead, ARefusedHeadKeepsWhatWasRead) {
  RequestHead head;
  EXPECT_THROW(
      parse_head(kPost + "Origin: http://a\r\nContent-Length: 99999999999\r\n\r\n", {}, head),
      ApiError);
  EXPECT_EQ(head.header("Origin"), "http://a");
}

TEST(RequestHead, CompressedBodiesAreRefused) {
  for (const auto* value : {"gzip", "br", "deflate", "identity, gzip", "x"}) {
    EXPECT_EQ(refused(kPost + "Content-Length: 1\r\nContent-Encoding: " + value + "\r\n"), 415);
  }
}

TEST(RequestHead, LimitsLinesAndTheirNumber) {
  EXPECT_EQ(refused("GET /" + std::string(9000, 'a') + " HTTP/1.1\r\nHost: x\r\n"), 414);
  EXPECT_EQ(refused(kGet + "X: " + std::string(9000, 'a') + "\r\n"), 431);
  std::string many = kGet;
  for (int i = 0; i < 200; ++i) many += "X: y\r\n";
  EXPECT_EQ(refused(many), 431);
}

TEST(RequestHead, ConnectionAndExpect) {
  EXPECT_FALSE(parse(kGet + "Connection: CLOSE\r\n").keep_alive);
  for (const auto* lines :
       {"Connection: TE, close\r\n", "Connection: close ,TE\r\n",
        "Connection: TE\r\nConnection: close\r\n", "Connection: keep-alive, close\r\n"}) {
    EXPECT_FALSE(parse(kGet + lines).keep_alive) << lines;
  }
  EXPECT_TRUE(parse(kGet + "Connection: TE, closed\r\n").keep_alive);
  EXPECT_TRUE(parse("GET / HTTP/1.0\r\nConnection: TE, Keep-Alive\r\n").keep_alive);
  EXPECT_FALSE(parse("GET / HTTP/1.0\r\n").keep_alive);
  EXPECT_TRUE(parse("GET / HTTP/1.0\r\nConnection: keep-alive\r\n").keep_alive);
  EXPECT_TRUE(parse(kPost + "Content-Length: 1\r\nExpect: 100-continue\r\n").expects_continue);
  EXPECT_FALSE(parse(kGet + "Expect: 100-continue\r\n").expects_continue);
  EXPECT_EQ(refused(kGet + "Expect: miracles\r\n"), 417);
}

}  // namespace
}  // namespace mesita::http
