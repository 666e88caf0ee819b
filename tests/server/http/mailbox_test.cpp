#include "server/http/mailbox.h"

#include <gtest/gtest.h>

#include <thread>

namespace mesita::http {
namespace {

using std::chrono::milliseconds;

TEST(Mailbox, GivesAllInOrder) {
  Mailbox<int> mailbox;
  EXPECT_TRUE(mailbox.take(milliseconds(0)).empty());
  mailbox.post(1);
  mailbox.post(2);
  EXPECT_EQ(mailbox.take(milliseconds(0)), (std::vector<int>{1, 2}));
  EXPECT_TRUE(mailbox.take(milliseconds(0)).empty());
}

TEST(Mailbox, ALostItemEndsTheWaitingAfterWhatArrived) {
  Mailbox<int> mailbox;
  mailbox.post(1);
  std::thread loser([&] { mailbox.lose(); });
  EXPECT_EQ(mailbox.take(milliseconds(0)), std::vector<int>{1});
  EXPECT_THROW(mailbox.take(milliseconds(60'000)), std::bad_alloc);
  loser.join();
}

}  // namespace
}  // namespace mesita::http
