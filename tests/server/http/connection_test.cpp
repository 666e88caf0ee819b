#include "server/http/connection.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <thread>

#include "server/http/api_error.h"

namespace mesita::http {
namespace {

using std::chrono::milliseconds;

class ConnectionTest : public ::testing::Test {
 protected:
  ConnectionTest() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets_.data()), 0); }
  ~ConnectionTest() override {
    ::close(sockets_[0]);
    hang_up();
  }
  Connection connection() {
    return Connection(sockets_[0], timeouts_, [this] { return pressure_.load(); });
  }
  void client_sends(const std::string& bytes) {
    ASSERT_EQ(::send(sockets_[1], bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  void hang_up() {
    if (sockets_[1] >= 0) ::close(sockets_[1]);
    sockets_[1] = -1;
  }
  static std::string read_some(Connection& connection, size_t size) {
    std::string text(size, '\0');
    const ssize_t read = connection.read(text.data(), size);
    text.resize(read < 0 ? 0 : static_cast<size_t>(read));
    return text;
  }

  std::array<int, 2> sockets_{-1, -1};
  Timeouts timeouts_;
  std::atomic<Pressure> pressure_{Pressure::none};
};

TEST_F(ConnectionTest, HeadAndBodyAndTheNextRequest) {
  Connection connection = this->connection();
  client_sends("\r\nGET / HTTP/1.1\r\n\r\nbodyNEXT / HTTP/1.1\r\n\r\n");
  ASSERT_TRUE(connection.wait_for_request());
  EXPECT_EQ(connection.read_head(1000), "GET / HTTP/1.1\r\n\r\n");
  connection.begin_body("own head");
  EXPECT_EQ(read_some(connection, 8), "own head");
  EXPECT_EQ(read_some(connection, 4), "body");
  EXPECT_EQ(connection.read_head(1000), "NEXT / HTTP/1.1\r\n\r\n");
}

TEST_F(ConnectionTest, HeadsInPieces) {
  Connection connection = this->connection();
  std::thread client([&] {
    for (const char c : std::string("GET / HTTP/1.1\r\n\r\n")) {
      client_sends(std::string(1, c));
      std::this_thread::yield();
    }
  });
  EXPECT_EQ(connection.read_head(1000), "GET / HTTP/1.1\r\n\r\n");
  client.join();
}

TEST_F(ConnectionTest, EndlessHeadsAreRefused) {
  Connection connection = this->connection();
  client_sends(std::string(2000, 'x'));
  try {
    connection.read_head(1000);
    FAIL();
  } catch (const ApiError& error) {
    EXPECT_EQ(error.status(), 431);
  }
}

TEST_F(ConnectionTest, ADripOfBytesMeetsTheDeadline) {
  timeouts_.head = milliseconds(200);
  Connection connection = this->connection();
  std::atomic<bool> done{false};
  std::thread client([&] {
    while (!done) {
      client_sends("x");
      std::this_thread::sleep_for(milliseconds(10));
    }
  });
  int status = 0;
  try {
    connection.read_head(100'000);
  } catch (const ApiError& error) {
    status = error.status();
  }
  done = true;
  client.join();
  EXPECT_EQ(status, 408);
}

TEST_F(ConnectionTest, BodiesHaveADeadlineToo) {
  timeouts_.body = milliseconds(100);
  Connection connection = this->connection();
  connection.begin_body("");
  char byte = 0;
  EXPECT_EQ(connection.read(&byte, 1), -1);
  EXPECT_TRUE(connection.late());
}

TEST_F(ConnectionTest, IdleTimeAndPressureEndTheWait) {
  timeouts_.idle = milliseconds(60);
  EXPECT_FALSE(connection().wait_for_request());
  timeouts_.idle = milliseconds(60'000);
  pressure_ = Pressure::waiting;
  EXPECT_FALSE(connection().wait_for_request());
}

TEST_F(ConnectionTest, OnlyStoppingInterruptsARequest) {
  pressure_ = Pressure::waiting;
  timeouts_.head = milliseconds(100);
  EXPECT_THROW(connection().read_head(1000), ApiError) << "ran to the deadline";
  pressure_ = Pressure::stopping;
  EXPECT_EQ(connection().read_head(1000), std::nullopt);
}

TEST_F(ConnectionTest, SeesThatThePeerIsGone) {
  Connection connection = this->connection();
  EXPECT_FALSE(connection.peer_gone());
  client_sends("pipelined");
  EXPECT_FALSE(connection.peer_gone()) << "bytes to read are no farewell";
  hang_up();
  EXPECT_TRUE(connection.peer_gone()) << "also behind unread bytes";
  EXPECT_EQ(connection.read_head(1000), std::nullopt);
  char byte = 0;
  connection.begin_body("");
  EXPECT_LE(connection.read(&byte, 0), 0);
}

TEST_F(ConnectionTest, WritingToAReaderThatDoesNotReadEnds) {
  timeouts_.write = milliseconds(100);
  Connection connection = this->connection();
  const std::string much(10'000'000, 'x');
  EXPECT_EQ(connection.write(much.data(), much.size()), -1);
}

TEST_F(ConnectionTest, WritingToAPeerThatLeftRaisesNoSignal) {
  Connection connection = this->connection();
  hang_up();
  const std::string bytes(100'000, 'x');
  EXPECT_EQ(connection.write(bytes.data(), bytes.size()), -1);
}

}  // namespace
}  // namespace mesita::http
