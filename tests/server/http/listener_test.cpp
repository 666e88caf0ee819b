#include "server/http/listener.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <stdexcept>
#include <thread>

#include "tests/support/http_client.h"
#include "tests/support/message.h"

namespace mesita::http {
namespace {

using testing::contains;
using testing::message_of;

TEST(Listener, TakesAFreePortAndAccepts) {
  Listener listener("127.0.0.1", 0);
  ASSERT_GT(listener.port(), 0);
  testing::HttpClient client(listener.port());
  const auto socket = listener.accept();
  ASSERT_TRUE(socket);
  ::close(*socket);
  EXPECT_TRUE(client.ends());
}

TEST(Listener, APortThatIsTakenIsRefusedWithAReason) {
  const Listener first("127.0.0.1", 0);
  const std::string message =
      message_of<std::runtime_error>([&] { Listener("127.0.0.1", first.port()); });
  EXPECT_TRUE(contains(message, std::to_string(first.port()))) << message;
  EXPECT_TRUE(contains(message, "--port")) << message;
}

TEST(Listener, APortCanBeTakenAgainAtOnce) {
  int port = 0;
  {
    Listener first("127.0.0.1", 0);
    port = first.port();
    testing::HttpClient client(port);
    ::close(*first.accept());  // leaves a connection in TIME_WAIT
    EXPECT_TRUE(client.ends());
  }
  EXPECT_NO_THROW(Listener("127.0.0.1", port));
}

TEST(Listener, UnknownHostsAreNamed) {
  const std::string message =
      message_of<std::runtime_error>([] { Listener("256.256.256.256", 0); });
  EXPECT_TRUE(contains(message, "256.256.256.256")) << message;
}

TEST(Listener, CloseWakesAccept) {
  Listener listener("127.0.0.1", 0);
  std::thread closer([&] { listener.close(); });
  EXPECT_FALSE(listener.accept());
  closer.join();
  EXPECT_THROW(testing::HttpClient(listener.port()), std::runtime_error);
}

TEST(Listener, TheBacklogHoldsManyClients) {
  Listener listener("127.0.0.1", 0);
  std::vector<std::unique_ptr<testing::HttpClient>> clients;
  for (int i = 0; i < 100; ++i) {
    clients.push_back(std::make_unique<testing::HttpClient>(listener.port()));
  }
  for (int i = 0; i < 100; ++i) ::close(*listener.accept());
}

}  // namespace
}  // namespace mesita::http
