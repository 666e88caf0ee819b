#include "server/http/engine_thread.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <stdexcept>

#include "server/http/mailbox.h"
#include "tests/support/message.h"
#include "tests/support/tiny_model.h"

namespace mesita::http {
namespace {

using inference::Continuation;
using inference::Distribution;
using inference::FinishReason;
using std::chrono::milliseconds;

/// Passes on what happens to a sequence as text.
class Recorder final : public inference::TokenSink {
 public:
  explicit Recorder(std::string failure = "") : failure_(std::move(failure)) {}
  void on_prompt_token(int64_t, int32_t, const Distribution*) override {}
  Continuation on_token(int32_t id, const Distribution&) override {
    if (!failure_.empty()) throw std::runtime_error(failure_);
    mailbox.post(std::to_string(id));
    return Continuation::go_on;
  }
  void on_finish(FinishReason reason) override {
    mailbox.post(reason == FinishReason::cancelled ? "cancelled" : "finished");
  }
  void on_error(const std::string& message) override { mailbox.post("error: " + message); }

  /// All that was posted up to a last call; at most some seconds.
  std::vector<std::string> wait() {
    const auto last = [](const std::string& text) {
      return text == "cancelled" || text == "finished" || text.starts_with("error");
    };
    for (int i = 0; i < 100 && (seen_.empty() || !last(seen_.back())); ++i) {
      for (std::string& text : mailbox.take(milliseconds(100))) seen_.push_back(std::move(text));
    }
    return seen_;
  }

  Mailbox<std::string> mailbox;

 private:
  std::string failure_;
  std::vector<std::string> seen_;
};

inference::SequenceRequest request_for(int64_t tokens, uint64_t seed = 1) {
  inference::SequenceRequest request;
  request.prompt = {1, 2, 3};
  request.max_tokens = tokens;
  request.seed = seed;
  return request;
}

void wait_until_idle(const EngineThread& engine) {
  for (int i = 0; i < 2000 && engine.active() > 0; ++i) {
    std::this_thread::sleep_for(milliseconds(5));
  }
  EXPECT_EQ(engine.active(), 0);
}

TEST(EngineThread, ResultsDoNotDependOnCompany) {
  EngineThread engine({testing::tiny_model(), testing::tiny_model(testing::tiny_config(), 2)});
  auto alone = std::make_shared<Recorder>();
  engine.submit({{0, request_for(5), alone}});
  const auto expected = alone->wait();
  EXPECT_EQ(expected.size(), 6u);
  std::vector<std::shared_ptr<Recorder>> crowd;
  std::vector<EngineThread::Job> jobs;
  for (int i = 0; i < 20; ++i) {
    crowd.push_back(std::make_shared<Recorder>());
    jobs.push_back({static_cast<size_t>(i % 2), request_for(5, i < 2 ? 1 : 100 + i), crowd.back()});
  }
  engine.submit(std::move(jobs));
  EXPECT_EQ(crowd[0]->wait(), expected);
  EXPECT_NE(crowd[1]->wait(), expected) << "another model";
  wait_until_idle(engine);
}

TEST(EngineThread, AdmitsAllOrNone) {
  EngineThread engine({testing::tiny_model()}, 3);
  const auto status = [&](size_t count) {
    std::vector<EngineThread::Job> jobs;
    for (size_t i = 0; i < count; ++i) {
      jobs.push_back({0, request_for(1), std::make_shared<Recorder>()});
    }
    try {
      engine.submit(std::move(jobs));
    } catch (const ApiError& error) {
      return error.status();
    }
    return 0;
  };
  EXPECT_EQ(status(4), 400);
  EXPECT_EQ(status(3), 0);
  wait_until_idle(engine);
  EXPECT_EQ(status(2), 0) << "room again";
}

/// Holds the engine's thread in its first token until it is let go.
class Blocker final : public inference::TokenSink {
 public:
  void on_prompt_token(int64_t, int32_t, const Distribution*) override {}
  Continuation on_token(int32_t, const Distribution&) override {
    reached.set_value();
    let_go.get_future().wait();
    return Continuation::stop;
  }
  void on_finish(FinishReason) override {}
  void on_error(const std::string&) override {}

  std::promise<void> reached, let_go;
};

TEST(EngineThread, WhileThereIsNoRoomItSays429AndWhenToComeBack) {
  EngineThread engine({testing::tiny_model()}, 2);
  auto blocker = std::make_shared<Blocker>();
  auto sink = std::make_shared<Recorder>();
  engine.submit({{0, request_for(5), blocker}});
  blocker->reached.get_future().wait();
  engine.submit({{0, request_for(1), sink}});
  EXPECT_EQ(engine.active(), 2);
  try {
    engine.submit({{0, request_for(1), sink}});
    ADD_FAILURE() << "admitted a third";
  } catch (const ApiError& error) {
    EXPECT_EQ(error.status(), 429);
    EXPECT_EQ(error.headers(),
              (std::vector<std::pair<std::string, std::string>>{{"Retry-After", "1"}}));
  }
  EXPECT_EQ(engine.active(), 2);
  blocker->let_go.set_value();
  EXPECT_EQ(sink->wait().back(), "finished");
  wait_until_idle(engine);
}

TEST(EngineThread, AFailingSinkEndsItsOwnSequenceOnly) {
  EngineThread engine({testing::tiny_model()});
  auto failing = std::make_shared<Recorder>("disk full");
  auto sound = std::make_shared<Recorder>();
  engine.submit({{0, request_for(5), failing}, {0, request_for(5), sound}});
  EXPECT_EQ(failing->wait(), std::vector<std::string>{"error: disk full"});
  EXPECT_EQ(sound->wait().back(), "finished");
  wait_until_idle(engine);
}

TEST(EngineThread, WhatTheEngineRefusesIsAnError) {
  EngineThread engine({testing::tiny_model()});
  auto sink = std::make_shared<Recorder>();
  engine.submit({{0, inference::SequenceRequest{}, sink}});
  const auto seen = sink->wait();
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_TRUE(testing::contains(seen[0], "error: prompt"));
  wait_until_idle(engine);
}

TEST(EngineThread, CancelledSequencesAreForgotten) {
  EngineThread engine({testing::tiny_model()});
  auto sink = std::make_shared<Recorder>();
  engine.cancel({12345});
  engine.cancel(engine.submit({{0, request_for(1), sink}}));
  sink->wait();
  wait_until_idle(engine);
  for (int i = 0; i < 2000 && sink.use_count() > 1; ++i) {
    std::this_thread::sleep_for(milliseconds(5));
  }
  EXPECT_EQ(sink.use_count(), 1);
}

TEST(EngineThread, StopTellsEverybody) {
  EngineThread engine({testing::tiny_model()});
  std::vector<std::shared_ptr<Recorder>> sinks;
  std::vector<EngineThread::Job> jobs;
  for (int i = 0; i < 50; ++i) {
    sinks.push_back(std::make_shared<Recorder>());
    jobs.push_back({0, request_for(1000), sinks.back()});
  }
  engine.submit(std::move(jobs));
  engine.stop();
  for (const auto& sink : sinks) {
    const std::string last = sink->wait().back();
    EXPECT_TRUE(last == "finished" || last == "error: " + std::string(kShuttingDown)) << last;
  }
  EXPECT_THROW(engine.submit({{0, request_for(1), sinks[0]}}), ApiError);
  EXPECT_EQ(failure(std::string(kShuttingDown)).status(), 503);
  EXPECT_EQ(failure("anything").status(), 500);
}

}  // namespace
}  // namespace mesita::http
