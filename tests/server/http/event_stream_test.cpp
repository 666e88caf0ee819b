#include "server/http/event_stream.h"

#include <gtest/gtest.h>

namespace mesita::http {
namespace {

TEST(EventStream, AnEventIsOneDataLine) {
  EXPECT_EQ(event({{"text", "a\nb"}}), "data: {\"text\":\"a\\nb\"}\n\n");
}

TEST(EventStream, InvalidUtf8DoesNotBreakTheStream) {
  EXPECT_EQ(event({{"text", "\xF0\x9F"}}), "data: {\"text\":\"\xEF\xBF\xBD\"}\n\n");
}

TEST(EventStream, PingIsACommentAndDoneIsExact) {
  EXPECT_TRUE(kPingEvent.starts_with(":") && kPingEvent.ends_with("\n\n"));
  EXPECT_EQ(kDoneEvent, "data: [DONE]\n\n");
}

}  // namespace
}  // namespace mesita::http
