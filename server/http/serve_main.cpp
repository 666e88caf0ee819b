#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <future>
#include <iostream>
#include <memory>
#include <thread>

#include "server/evaluation/program.h"
#include "server/http/http_server.h"
#include "server/http/model_registry.h"
#include "server/http/service.h"
#include "web/assets.h"

namespace {

using namespace mesita;

/// Signals that end the server; blocked in all threads, taken by one that waits for them.
sigset_t ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

int wait_for_signal() {
  const sigset_t signals = ending_signals();
  int number = 0;
  while (sigwait(&signals, &number) != 0) {
  }
  return number;
}

std::vector<http::PageFile> page_files() {
  std::vector<http::PageFile> files;
  for (const web::Asset& asset : web::assets()) {
    files.push_back({asset.path, asset.content_type, asset.content});
  }
  return files;
}

std::string url_host(const std::string& host) {
  return host.find(':') == std::string::npos ? host : "[" + host + "]";
}

struct Flags {
  std::string models;
  std::string default_model;
  http::ServerOptions server;
  http::AccessOptions access;
};

/// Waits for signals in a thread of its own. The first one ends the server in good order, or at
/// once while models are still loading; a second one ends it at once in any case.
class EndingSignals {
 public:
  EndingSignals() {
    std::thread([shared = shared_] {
      const int number = wait_for_signal();
      if (!shared->serving) std::_Exit(0);
      shared->first.set_value(number);
      std::_Exit(128 + wait_for_signal());
    }).detach();
  }
  void serving() { shared_->serving = true; }
  int wait() { return shared_->first.get_future().get(); }

 private:
  struct Shared {
    std::atomic<bool> serving{false};
    std::promise<int> first;
  };
  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
};

void serve(Flags flags) {
  EndingSignals signals;
  flags.access.host = flags.server.host;
  http::Service service(http::AccessPolicy(flags.access), page_files());
  if (http::is_exposed(flags.access)) {
    spdlog::warn(
        "bound to {} without --api-key: everybody who reaches this machine may use the server, and "
        "so may web pages that they visit (DNS rebinding)",
        flags.access.host);
  }
  http::HttpServer server(flags.server, service);
  server.start();
  service.open(http::ModelRegistry::load(flags.models, flags.default_model));
  signals.serving();
  std::cout << "mesita: listening on http://" << url_host(flags.server.host) << ':' << server.port()
            << std::endl;
  spdlog::info("signal {}: ending", signals.wait());
  service.close();
  server.stop();
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  const sigset_t signals = ending_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  spdlog::set_default_logger(spdlog::stderr_color_mt("mesita"));

  evaluation::Program program("mesita serve", "Serves models over HTTP.");
  Flags flags;
  CLI::App& app = program.flags();
  app.add_option("--models", flags.models, "folder of checkpoints and runs")->required();
  app.add_option("--default-model", flags.default_model, "the model of requests that name none");
  app.add_option("--host", flags.server.host, "address to listen on")->capture_default_str();
  app.add_option("--port", flags.server.port, "port to listen on, 0: a free one")
      ->check(evaluation::whole_number(0, 65535))
      ->default_val(8080);
  app.add_option("--api-key", flags.access.api_keys, "key that API routes ask for (repeatable)")
      ->allow_extra_args(false);
  app.add_option("--cors-origin", flags.access.cors_origins,
                 "origin whose pages may use the API, or * (repeatable)")
      ->allow_extra_args(false);
  app.add_option("--max-body", flags.server.limits.max_body, "bytes of a request body")
      ->check(evaluation::whole_number(1024, int64_t{1} << 32))
      ->capture_default_str();
  return program.run(argc, argv, [&flags] { serve(flags); });
}
