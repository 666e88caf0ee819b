// LibTorch, SentencePiece, spdlog and cpp-httplib in one process: their protobuf, fmt and flag
// symbols have clashed before main in other combinations (see README.md of this folder). A program
// of its own, since a clash shows as a crash at start or exit. Exit status 0 is the result.

#include <ATen/core/Tensor.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <httplib.h>
#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <cstdio>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace {

void require(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(what);
}

void multiply() {
  const at::Tensor product = at::matmul(at::ones({64, 128}), at::ones({128, 32}));
  require(product.sum().item<float>() == 64.0F * 128.0F * 32.0F, "LibTorch: wrong product");
}

// Sentences from memory, as the tokenizer trainer gives them.
class Sentences : public sentencepiece::SentenceIterator {
 public:
  bool done() const override { return index_ == 200; }
  void Next() override { set(++index_); }
  const std::string& value() const override { return line_; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  void set(int index) { line_ = "the little table number " + std::to_string(index) + " has a leg"; }

  int index_ = 0;
  std::string line_ = "the little table";
};

void tokenize() {
  Sentences sentences;
  std::string model;
  const auto trained = sentencepiece::SentencePieceTrainer::Train(
      std::unordered_map<std::string, std::string>{{"model_type", "bpe"},
                                                   {"vocab_size", "300"},
                                                   {"byte_fallback", "true"},
                                                   {"hard_vocab_limit", "false"},
                                                   {"minloglevel", "2"}},
      &sentences, &model);
  require(trained.ok(), "SentencePiece: training failed");
  sentencepiece::SentencePieceProcessor processor;
  require(processor.LoadFromSerializedProto(model).ok(), "SentencePiece: loading failed");
  std::vector<int> ids;
  std::string text;
  require(processor.Encode("a little leg", &ids).ok() && !ids.empty(), "SentencePiece: encoding");
  require(processor.Decode(ids, &text).ok() && text == "a little leg", "SentencePiece: decoding");
}

void log_line() {
  std::ostringstream out;
  spdlog::logger logger("smoke", std::make_shared<spdlog::sinks::ostream_sink_mt>(out));
  logger.info("{} and {:.2f}", "fmt", 1.5);
  logger.flush();
  require(out.str().find("fmt and 1.50") != std::string::npos, "spdlog: wrong line");
}

void round_trip() {
  httplib::Server server;
  server.Get("/ping", [](const httplib::Request&, httplib::Response& response) {
    response.set_content("pong", "text/plain");
  });
  const int port = server.bind_to_any_port("127.0.0.1");
  require(port > 0, "httplib: no port");
  std::thread listener([&server] { server.listen_after_bind(); });
  server.wait_until_ready();
  httplib::Client client("127.0.0.1", port);
  const httplib::Result result = client.Get("/ping");
  server.stop();
  listener.join();
  require(result && result->body == "pong", "httplib: no answer");
}

}  // namespace

int main() {
  try {
    multiply();
    tokenize();
    log_line();
    round_trip();
    multiply();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "link_smoke_test: %s\n", error.what());
    return 1;
  }
}
