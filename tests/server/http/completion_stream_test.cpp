#include "server/http/completion_stream.h"

#include <gtest/gtest.h>

#include "tests/server/http/served_models.h"

namespace mesita::http {
namespace {

using testing::events_of;

class CompletionStreamTest : public ::testing::Test {
 protected:
  CompletionStreamTest() : engine_({story().model().model}) {
    request_.prompts = {Prompt("the table")};
    request_.max_tokens = 5;
  }
  static const ModelEntry& story() {
    static const ModelRegistry registry =
        ModelRegistry::load(testing::served_folder() / "story", "");
    return registry.default_model();
  }
  CompletionStream stream() {
    return CompletionStream(std::make_unique<CompletionRun>(
                                engine_, std::vector<const ModelEntry*>{&story()}, request_, 1),
                            {{"cmpl-1", 0, "story", "f", 1}}, request_);
  }
  static std::string read(CompletionStream& stream) {
    std::string all, bytes;
    bool more = true;
    for (int i = 0; i < 200 && more; ++i) {
      bytes.clear();
      more = stream.next(bytes);
      all += bytes;
    }
    EXPECT_FALSE(more);
    return all;
  }

  EngineThread engine_;
  CompletionRequest request_;
};

TEST_F(CompletionStreamTest, ChunksThenDone) {
  CompletionStream stream = this->stream();
  const auto events = events_of(read(stream));
  ASSERT_GE(events.size(), 2u);
  EXPECT_EQ(events.back(), "[DONE]");
  const Json last = Json::parse(events[events.size() - 2]);
  EXPECT_TRUE(last["choices"][0]["finish_reason"].is_string());
}

TEST_F(CompletionStreamTest, AFailureIsADataEventAndTheEnd) {
  request_.choices = 100;
  request_.max_tokens = 60;
  CompletionStream stream = this->stream();
  engine_.stop();
  const auto events = events_of(read(stream));
  ASSERT_FALSE(events.empty());
  EXPECT_EQ(Json::parse(events.back())["error"]["type"], "unavailable_error");
}

}  // namespace
}  // namespace mesita::http
