#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>

#include "model/checkpoint/checkpoint.h"
#include "server/http/http_server.h"
#include "server/http/model_registry.h"
#include "server/http/service.h"
#include "tests/support/files.h"
#include "tests/support/http_client.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tiny_handle.h"
#include "tests/support/tiny_tokenizer.h"

namespace mesita::testing {

/// Saves a small model that uses a tokenizer.
inline void save_tiny_model(const std::filesystem::path& folder,
                            const tokenizer::Tokenizer& tokenizer,
                            const TinyHandleOptions& options = {}) {
  const TemporaryDirectory temporary;
  tokenizer.save(temporary / "tokenizer");
  checkpoint::CheckpointConfig config;
  config.model = tiny_config(tokenizer.size(), options.context);
  config.model.position = options.position;
  config.document_start = options.document_start;
  config.end = options.end;
  config.trained = model::trained_roles("all");
  checkpoint::save_checkpoint(folder, config, tiny_parameters(config.model, options.seed),
                              temporary / "tokenizer", checkpoint::Form::full);
}

/// A folder of models for a server, the same for all tests of a process: "story" and "sub/other"
/// (one SentencePiece vocabulary, contexts 64 and 48), "ids" (no text, no start), "run" (symbols, a
/// run folder) and "broken".
inline const std::filesystem::path& served_folder() {
  static const TemporaryDirectory folder;
  static const bool filled = [] {
    const auto text = tiny_sentencepiece_tokenizer();
    save_tiny_model(folder / "story", *text, {.context = 64, .seed = 1});
    save_tiny_model(folder / "sub" / "other", *text, {.context = 48, .seed = 2});
    save_tiny_model(folder / "ids", *tokenizer::make_idless_tokenizer(50),
                    {.context = 16, .seed = 3, .document_start = {}, .end = {}});
    save_tiny_model(
        folder / "run" / "checkpoints" / "best",
        *tokenizer::make_symbol_tokenizer({"<s>", "</s>", "a", "b", "c"}, {"<s>", "</s>"}),
        {.context = 16, .seed = 4, .document_start = 0, .end = 1});
    std::filesystem::create_directories(folder / "broken");
    write_file(folder / "broken" / "manifest.json", "{");
    return true;
  }();
  static_cast<void>(filled);
  return folder.path();
}

/// Those models, loaded once.
inline const http::ModelRegistry& served_registry() {
  static const http::ModelRegistry registry = http::ModelRegistry::load(served_folder(), "");
  return registry;
}

/// One model, "long", of a context that takes it minutes to fill: work that does not end by itself
/// while a test looks at it.
inline const http::ModelRegistry& long_registry() {
  static const TemporaryDirectory folder;
  static const http::ModelRegistry registry = [] {
    save_tiny_model(folder / "long", *tiny_sentencepiece_tokenizer(),
                    {.context = 65536, .seed = 5, .position = model::PositionKind::rotary});
    return http::ModelRegistry::load(folder.path(), "");
  }();
  return registry;
}

/// A request that keeps the long model busy.
inline http::Json long_completion(int64_t choices, bool stream) {
  return {{"prompt", "a"},
          {"n", choices},
          {"max_tokens", 65000},
          {"stream", stream},
          {"logit_bias", {{"2", -100}}}};
}

/// Whether it holds within a time that is far below what long work takes.
template <typename Condition>
bool soon(const Condition& holds) {
  for (int i = 0; i < 600 && !holds(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return holds();
}

struct TestServerOptions {
  http::AccessOptions access;
  int64_t admitted = http::EngineThread::kAdmitted;
  const http::ModelRegistry* registry = &served_registry();
};

/// A server with those models on a free port.
class TestServer {
 public:
  explicit TestServer(const TestServerOptions& options = {})
      : service_(http::AccessPolicy(options.access), {{"/", "text/html; charset=utf-8", "<p>hi"}}),
        server_(http::ServerOptions{}, service_) {
    server_.start();
    service_.open(*options.registry, options.admitted);
  }
  ~TestServer() {
    service_.close();
    server_.stop();
  }

  int port() const { return server_.port(); }
  http::Service& service() { return service_; }
  HttpAnswer get(const std::string& path, const std::string& more = "") const {
    return http_get(port(), path, more);
  }
  HttpAnswer post(const std::string& path, const std::string& body,
                  const std::string& more = "") const {
    return http_post(port(), path, body, more);
  }
  /// Posts a JSON value and parses the answer, which must be a success.
  http::Json ask(const std::string& path, const http::Json& body) const {
    const HttpAnswer answer = post(path, body.dump());
    if (answer.status != 200) throw std::runtime_error(path + ": " + answer.body);
    return http::Json::parse(answer.body);
  }

 private:
  http::Service service_;
  http::HttpServer server_;
};

/// Data of the events of a stream's body, in order.
inline std::vector<std::string> events_of(const std::string& body) {
  std::vector<std::string> events;
  size_t at = 0;
  while (at < body.size()) {
    const size_t end = body.find("\n\n", at);
    if (end == std::string::npos) break;
    if (body.compare(at, 6, "data: ") == 0) events.push_back(body.substr(at + 6, end - at - 6));
    at = end + 2;
  }
  return events;
}

}  // namespace mesita::testing
