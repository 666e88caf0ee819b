#include "server/http/http_server.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "tests/server/http/echo_application.h"
#include "tests/support/http_client.h"
#include "tests/support/message.h"

namespace mesita::http {
namespace {

using std::chrono::milliseconds;
using testing::contains;
using testing::http_get;
using testing::http_post;
using testing::http_request;
using testing::HttpAnswer;
using testing::HttpClient;

class HttpServerTest : public ::testing::Test {
 protected:
  void start() {
    server_ = std::make_unique<HttpServer>(options_, application_);
    server_->start();
  }
  int port() {
    if (!server_) start();
    return server_->port();
  }
  /// Sends bytes on a fresh connection and reads one answer.
  HttpAnswer exchange(const std::string& bytes) {
    HttpClient client(port());
    client.send(bytes);
    return client.read_answer();
  }
  static bool eventually(const std::function<bool()>& holds) {
    for (int i = 0; i < 2000 && !holds(); ++i) std::this_thread::sleep_for(milliseconds(5));
    return holds();
  }
  static void expect_json_error(const HttpAnswer& answer, int status) {
    EXPECT_EQ(answer.status, status);
    EXPECT_EQ(answer.header("content-type"), "application/json");
    const Json body = Json::parse(answer.body, nullptr, false);
    ASSERT_TRUE(body.contains("error")) << answer.body;
    EXPECT_TRUE(body["error"]["message"].is_string());
    EXPECT_TRUE(answer.header("x-request-id").starts_with("req-"));
    EXPECT_EQ(answer.header("x-common"), "yes");
    EXPECT_EQ(answer.header("exception_what"), "");
  }

  EchoApplication application_;
  ServerOptions options_;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpServerTest, AnswersOverOneConnectionManyTimes) {
  HttpClient client(port());
  std::string last_id;
  for (int i = 0; i < 20; ++i) {
    client.send(http_request("POST", "/a%2Fb?q", "hello"));
    const HttpAnswer answer = client.read_answer();
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, R"({"method":"POST","path":"/a/b","size":5,"body":"hello"})");
    EXPECT_NE(answer.header("x-request-id"), last_id);
    last_id = answer.header("x-request-id");
  }
}

TEST_F(HttpServerTest, PipelinedRequestsAreAllAnswered) {
  HttpClient client(port());
  client.send(http_request("POST", "/1", "a") + http_request("GET", "/2") +
              http_request("POST", "/3", "ccc"));
  EXPECT_TRUE(contains(client.read_answer().body, "\"/1\""));
  EXPECT_TRUE(contains(client.read_answer().body, "\"/2\""));
  EXPECT_TRUE(contains(client.read_answer().body, "\"ccc\""));
}

TEST_F(HttpServerTest, HeadHasNoBodyAndEmptyAnswersNoLength) {
  HttpClient client(port());
  client.send(http_request("HEAD", "/x"));
  const HttpAnswer head = client.read_answer(HttpClient::Body::none);
  EXPECT_EQ(head.status, 200);
  EXPECT_NE(head.header("content-length"), "");
  client.send(http_request("GET", "/empty"));
  const HttpAnswer empty = client.read_answer();
  EXPECT_EQ(empty.status, 204);
  EXPECT_EQ(empty.header("content-length"), "");
  client.send(http_request("GET", "/after"));
  EXPECT_EQ(client.read_answer().status, 200);
}

TEST_F(HttpServerTest, ChunkedBodiesAreReadAndBounded) {
  options_.limits.max_body = 1000;
  const std::string head =
      "POST /x HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_TRUE(contains(exchange(head + "3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nTrailer: 1\r\n\r\n").body,
                       "\"abcde\""));
  std::string chunks;
  for (int i = 0; i < 200; ++i) chunks += "a\r\n0123456789\r\n";
  expect_json_error(exchange(head + chunks + "0\r\n\r\n"), 413);
  for (const auto* bad : {"-2\r\nabc\r\n", "FFFFFFFFFFFFFFFF\r\nabc\r\n", "x\r\n", "3\r\nabcd\r\n",
                          "99999999999999999999\r\nx\r\n", "\r\n", "3zzz\r\nabc\r\n",
                          "+3\r\nabc\r\n", "0x3\r\nabc\r\n", " 3\r\nabc\r\n", "3\nabc\r\n"}) {
    const HttpAnswer answer = exchange(head + bad + "0\r\n\r\n");
    EXPECT_TRUE(answer.status == 400 || answer.status == 413) << bad << answer.status;
    EXPECT_EQ(answer.header("connection"), "close") << bad;
  }
  EXPECT_EQ(application_.answered, 1) << "of all these only the first";
}

TEST_F(HttpServerTest, AfterAChunkedBodyComesTheNextRequest) {
  HttpClient client(port());
  const std::string head =
      "POST /x HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
  client.send(head + "3\r\nabc\r\n0\r\n\r\n" + head + "0\r\n\r\n" + http_request("GET", "/y"));
  EXPECT_TRUE(contains(client.read_answer().body, "\"abc\""));
  const HttpAnswer empty = client.read_answer();
  EXPECT_TRUE(contains(empty.body, "POST") && contains(empty.body, "\"size\":0")) << empty.body;
  EXPECT_TRUE(contains(client.read_answer().body, "\"/y\""));
}

TEST_F(HttpServerTest, AnAnswerThatCannotBeWrittenIsAnError) {
  expect_json_error(exchange(http_request("GET", "/unwritable")), 500);
}

TEST_F(HttpServerTest, DeclaredLengthsAreBounded) {
  options_.limits.max_body = 1000;
  expect_json_error(exchange(http_request("POST", "/x", std::string(1001, 'x'))), 413);
  EXPECT_EQ(exchange(http_request("POST", "/x", std::string(1000, 'x'))).status, 200);
  expect_json_error(exchange("POST /x HTTP/1.1\r\nHost: localhost\r\n\r\nlate body"), 411);
}

TEST_F(HttpServerTest, AmbiguousFramingIsRefusedAndTheConnectionEnds) {
  const std::string smuggled = "GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const std::string start = "POST /x HTTP/1.1\r\nHost: localhost\r\n";
  for (const std::string framing :
       {"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n",
        "Content-Length: 4\r\nContent-Length: 50\r\n", "Transfer-Encoding: gzip, chunked\r\n",
        "Content-Length : 4\r\n", "Content-Length: +4\r\n"}) {
    HttpClient client(port());
    client.send(start + framing + "\r\n0\r\n\r\n" + smuggled);
    const HttpAnswer answer = client.read_answer();
    EXPECT_TRUE(answer.status == 400 || answer.status == 501) << framing;
    EXPECT_EQ(answer.header("connection"), "close") << framing;
    EXPECT_EQ(client.read_answer().status, 0) << "nothing more is answered: " << framing;
  }
  EXPECT_EQ(application_.answered, 0);
}

TEST_F(HttpServerTest, CompressedBodiesAreRefused) {
  expect_json_error(exchange(http_request("POST", "/x", "abc", "Content-Encoding: gzip\r\n")), 415);
}

TEST_F(HttpServerTest, TheLateBodyOfARefusedRequestIsNoRequest) {
  HttpClient client(port());
  const std::string body = "GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n";
  client.send("POST /refused HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
              std::to_string(body.size()) + "\r\n\r\n");
  expect_json_error(client.read_answer(), 401);
  client.send(body);
  EXPECT_EQ(client.read_answer().status, 0);
  EXPECT_EQ(application_.answered, 0);
}

TEST_F(HttpServerTest, ARefusalWithoutBodyKeepsTheConnection) {
  HttpClient client(port());
  client.send(http_request("GET", "/refused"));
  EXPECT_EQ(client.read_answer().status, 401);
  client.send(http_request("GET", "/fine"));
  EXPECT_EQ(client.read_answer().status, 200);
}

TEST_F(HttpServerTest, HeadsAreBounded) {
  expect_json_error(exchange("GET /" + std::string(9000, 'a') + " HTTP/1.1\r\nHost: x\r\n\r\n"),
                    414);
  expect_json_error(exchange(http_request("GET", "/", "", "X: " + std::string(9000, 'a') + "\r\n")),
                    431);
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "X: y\r\n";
  expect_json_error(exchange(http_request("GET", "/", "", many)), 431);
  expect_json_error(exchange("GET /" + std::string(200'000, 'a')), 431);
}

TEST_F(HttpServerTest, NothingAClientWritesComesBackInHeaders) {
  HttpClient client(port());
  client.send(http_request("GET", "/x", "",
                           "X-Evil: a%0d%0aSet-Cookie: b\r\nREMOTE_ADDR: 1.2.3.4\r\n"
                           "x-request-id: mine%0d%0a\r\nRange: bytes=0-1,2-3\r\n"));
  const std::string head = client.read_until("\r\n\r\n");
  EXPECT_TRUE(head.starts_with("HTTP/1.1 200")) << head;
  EXPECT_FALSE(contains(head, "Set-Cookie") || contains(head, "mine") || contains(head, "1.2.3.4"));
}

TEST_F(HttpServerTest, MalformedRequestsGetJsonAndTheEnd) {
  for (const std::string& bytes :
       {std::string("\x16\x03\x01 TLS\r\n\r\n"), std::string("GET / HTTP/1.1\nHost: x\n\n\r\n\r\n"),
        std::string("GET / HTTP/1.1\r\nHost: x\0y\r\n\r\n", 29),
        std::string("GET / HTTP/1.1\r\n\r\n"),
        std::string("GET / HTTP/1.1\r\nHost: x\r\n y\r\n\r\n"),
        std::string("GET http://x/ HTTP/1.1\r\nHost: x\r\n\r\n"),
        std::string("{\"prompt\": \"no head\"}\r\n\r\n")}) {
    HttpClient client(port());
    client.send(bytes);
    expect_json_error(client.read_answer(), 400);
    EXPECT_TRUE(client.ends());
  }
  EXPECT_EQ(http_get(port(), "/alive").status, 200);
}

TEST_F(HttpServerTest, ExpectContinueIsAnsweredBeforeTheBody) {
  HttpClient client(port());
  client.send(
      "POST /x HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
      "Content-Length: 3\r\n\r\n");
  EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("abc");
  EXPECT_TRUE(contains(client.read_answer().body, "\"abc\""));
  HttpClient refused(port());
  refused.send(
      "POST /refused HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
      "Content-Length: 3\r\n\r\n");
  EXPECT_EQ(refused.read_answer().status, 401);
}

TEST_F(HttpServerTest, UnknownMethodsReachTheApplication) {
  EXPECT_TRUE(contains(exchange(http_request("BREW", "/pot")).body, "BREW"));
  EXPECT_TRUE(contains(exchange(http_request("DELETE", "/x")).body, "DELETE"));
}

TEST_F(HttpServerTest, OldClientsGetTheirAnswerAndTheEnd) {
  HttpClient client(port());
  client.send("GET /x HTTP/1.0\r\n\r\n");
  EXPECT_EQ(client.read_answer().status, 200);
  EXPECT_TRUE(client.ends());
  HttpClient stream(port());
  stream.send("GET /stream HTTP/1.0\r\n\r\n");
  const std::string head = stream.read_until("\r\n\r\n");
  EXPECT_FALSE(contains(head, "chunked")) << head;
  EXPECT_EQ(stream.read_until("data: x\n\n"), "data: x\n\n");
}

TEST_F(HttpServerTest, StreamsEndWhenTheirClientLeaves) {
  HttpClient client(port());
  client.send(http_request("GET", "/stream"));
  client.read_until("data: x\n\n");
  EXPECT_EQ(application_.alive, 1);
  const auto left = std::chrono::steady_clock::now();
  client.close();
  EXPECT_TRUE(eventually([&] { return application_.alive == 0; }));
  EXPECT_LT(std::chrono::steady_clock::now() - left, milliseconds(1000));
}

TEST_F(HttpServerTest, SilentStreamsEndToo) {
  HttpClient client(port());
  client.send(http_request("GET", "/silent"));
  client.read_until("\r\n\r\n");
  client.close();
  EXPECT_TRUE(eventually([&] { return application_.alive == 0; }));
}

TEST_F(HttpServerTest, WaitingHandlersSeeTheirClientLeave) {
  HttpClient client(port());
  client.send(http_request("POST", "/wait", "{}"));
  EXPECT_TRUE(eventually([&] { return application_.answered == 1; }));
  client.close();
  EXPECT_TRUE(eventually([&] { return application_.gone == 1; }));
}

TEST_F(HttpServerTest, SilentStreamsArePinged) {
  options_.ping = milliseconds(50);
  HttpClient client(port());
  client.send(http_request("GET", "/silent"));
  EXPECT_TRUE(contains(client.read_until(": ping\n\n"), ": ping\n\n"));
  EXPECT_TRUE(contains(client.read_until(": ping\n\n"), ": ping\n\n"));
}

TEST_F(HttpServerTest, AThrowingStreamEndsWithAnErrorEventAndTheServerLives) {
  HttpClient client(port());
  client.send(http_request("GET", "/broken"));
  const HttpAnswer answer = client.read_answer();
  EXPECT_TRUE(answer.body.starts_with("data: {\"error\":")) << answer.body;
  EXPECT_FALSE(contains(answer.body, "secret"));
  EXPECT_EQ(http_get(port(), "/alive").status, 200);
}

TEST_F(HttpServerTest, ManyIdleConnectionsDoNotStarveOthers) {
  start();
  std::vector<std::unique_ptr<HttpClient>> idle;
  for (int i = 0; i < 60; ++i) {
    idle.push_back(std::make_unique<HttpClient>(port()));
    if (i % 2 == 0) {
      idle.back()->send(http_request("GET", "/kept-alive"));
      EXPECT_EQ(idle.back()->read_answer().status, 200);
    }
  }
  const auto asked = std::chrono::steady_clock::now();
  EXPECT_EQ(http_get(port(), "/health").status, 200);
  EXPECT_LT(std::chrono::steady_clock::now() - asked, milliseconds(1000));
}

TEST_F(HttpServerTest, IdleConnectionsMakeRoomWhenAllThreadsAreTaken) {
  options_.max_connections = 8;
  options_.timeouts.idle = milliseconds(60'000);
  start();
  std::vector<std::unique_ptr<HttpClient>> idle;
  for (int i = 0; i < 12; ++i) {
    idle.push_back(std::make_unique<HttpClient>(port()));
    idle.back()->send(http_request("GET", "/x"));
    EXPECT_EQ(idle.back()->read_answer().status, 200) << i;
  }
  EXPECT_EQ(http_get(port(), "/health").status, 200);
}

TEST_F(HttpServerTest, SlowSendersMeetTheDeadline) {
  options_.timeouts.head = milliseconds(150);
  options_.timeouts.body = milliseconds(150);
  HttpClient head(port());
  head.send("GET / HT");
  expect_json_error(head.read_answer(), 408);
  HttpClient body(port());
  body.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc");
  expect_json_error(body.read_answer(), 408);
  HttpClient chunks(port());
  chunks.send(
      "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
  expect_json_error(chunks.read_answer(), 408);
}

TEST_F(HttpServerTest, AClientThatLeavesInsideItsBodyHarmsNobody) {
  HttpClient client(port());
  client.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc");
  client.close();
  EXPECT_EQ(http_get(port(), "/alive").status, 200);
  EXPECT_EQ(application_.answered, 1);
}

TEST_F(HttpServerTest, AHalfClosedClientGetsItsAnswer) {
  HttpClient client(port());
  client.send(http_request("GET", "/x"));
  client.half_close();
  EXPECT_EQ(client.read_answer().status, 200);
}

TEST_F(HttpServerTest, BigAnswersArriveWhole) {
  EXPECT_EQ(http_get(port(), "/big").body.size(), 3'000'000u);
}

TEST_F(HttpServerTest, ASecondServerCannotShareThePort) {
  options_.port = port();
  EXPECT_THROW(HttpServer(options_, application_), std::runtime_error);
}

TEST_F(HttpServerTest, ConnectionsEndAfterSoManyRequests) {
  options_.requests_per_connection = 2;
  HttpClient client(port());
  client.send(http_request("GET", "/1"));
  EXPECT_EQ(client.read_answer().header("connection"), "");
  client.send(http_request("GET", "/2"));
  EXPECT_EQ(client.read_answer().header("connection"), "close");
  EXPECT_TRUE(client.ends());
}

TEST_F(HttpServerTest, StopEndsIdleConnectionsAndRefusesNewOnes) {
  options_.timeouts.idle = milliseconds(60'000);
  HttpClient idle(port());
  idle.send(http_request("GET", "/x"));
  EXPECT_EQ(idle.read_answer().status, 200);
  server_->stop();
  EXPECT_TRUE(idle.ends());
  EXPECT_THROW(HttpClient(server_->port()), std::runtime_error);
}

}  // namespace
}  // namespace mesita::http
