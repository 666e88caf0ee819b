#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "server/http/application.h"

namespace mesita::http {

/// A stream that lasts until the test lets it end, and counts how many of its kind exist.
class EndlessStream final : public EventSource {
 public:
  explicit EndlessStream(std::atomic<int>& alive, std::string piece)
      : alive_(alive), piece_(std::move(piece)) {
    ++alive_;
  }
  ~EndlessStream() override { --alive_; }
  bool next(std::string& bytes) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    bytes = piece_;
    return true;
  }

 private:
  std::atomic<int>& alive_;
  std::string piece_;
};

/// A stream that throws at once.
class BrokenStream final : public EventSource {
 public:
  bool next(std::string&) override { throw std::runtime_error("the secret of the stream"); }
};

/// Answers by repeating method, path and body; some paths have their own behaviour.
class EchoApplication final : public Application {
 public:
  void admit(const RequestHead& head) override {
    if (head.path == "/refused") throw ApiError(401, "authentication_error", "no");
  }
  Response answer(const RequestHead& head, Request request) override {
    ++answered;
    if (head.path == "/stream")
      return stream_response(std::make_shared<EndlessStream>(alive, "data: x\n\n"));
    if (head.path == "/silent") return stream_response(std::make_shared<EndlessStream>(alive, ""));
    if (head.path == "/broken") return stream_response(std::make_shared<BrokenStream>());
    if (head.path == "/wait") {
      while (!request.client_gone()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      ++gone;
      return client_gone_response();
    }
    if (head.path == "/big") {
      Response big;
      big.body = std::string(3'000'000, 'x');
      return big;
    }
    if (head.path == "/empty") {
      Response none;
      none.status = 204;
      none.content_type.clear();
      return none;
    }
    return json_response({{"method", request.method},
                          {"path", request.path},
                          {"size", request.body.size()},
                          {"body", request.body.substr(0, 100)}});
  }
  std::vector<std::pair<std::string, std::string>> common_headers(
      const RequestHead& head) override {
    if (head.path == "/unwritable" && !failed_.exchange(true)) throw std::bad_alloc();
    return {{"X-Common", "yes"}};
  }

  std::atomic<int> answered{0};
  std::atomic<int> gone{0};
  std::atomic<int> alive{0};

 private:
  std::atomic<bool> failed_{false};
};

}  // namespace mesita::http
