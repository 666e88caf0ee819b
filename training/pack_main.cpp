// mesita pack

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

#include "training/data/packing.h"
#include "training/data/token_pack.h"
#include "training/progress.h"
#include "training/stop_signal.h"

namespace {

namespace fs = std::filesystem;
using namespace mesita::training;

constexpr int kInterrupted = 130;  // what a shell reports of Ctrl-C

void print(const PackInfo& info, const fs::path& folder, bool json) {
  if (json) {
    std::cout << pack_json(info);
    return;
  }
  int64_t bytes = 0;
  for (const DocumentSet& set : info.sets) bytes += set.bytes;
  std::printf("%s: %lld documents, %lld tokens of %lld bytes of text, as %s\n",
              folder.string().c_str(), static_cast<long long>(info.documents),
              static_cast<long long>(info.tokens), static_cast<long long>(bytes),
              info.type == TokenType::uint16 ? "uint16" : "uint32");
  std::printf("tokenizer %.12s, %lld ids\n", info.tokenizer_hash.c_str(),
              static_cast<long long>(info.vocabulary));
  for (const DocumentSet& set : info.sets) {
    std::printf("  %-24s %12lld documents %14lld tokens\n",
                set.name.empty() ? "(no set)" : set.name.c_str(),
                static_cast<long long>(set.documents), static_cast<long long>(set.tokens));
  }
  for (const PackedInput& input : info.inputs) {
    std::printf("from %s: %lld documents", input.file.c_str(),
                static_cast<long long>(input.documents));
    if (input.empty > 0) std::printf(", %lld empty", static_cast<long long>(input.empty));
    if (input.malformed > 0)
      std::printf(", %lld malformed", static_cast<long long>(input.malformed));
    std::printf("%s\n", input.truncated ? ", TRUNCATED" : "");
  }
}

int run_pack(const PackRequest& request, bool json) {
  ProgressReporter reporter(stderr, ProgressReporter::style_of(stderr));
  const StopSignal signal;
  const auto begin = std::chrono::steady_clock::now();
  PackHooks hooks;
  hooks.message = [&](const std::string& text) { reporter.message("mesita pack: " + text); };
  hooks.stop = [&] { return signal.requested(); };
  hooks.progress = [&](const PackProgress& progress) {
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    char numbers[100];
    std::snprintf(numbers, sizeof numbers, "%.1f MB  %.2f MB/s  %.0fk tokens/s",
                  static_cast<double>(progress.text_bytes) / 1e6,
                  static_cast<double>(progress.text_bytes) / 1e6 / seconds,
                  static_cast<double>(progress.tokens) / 1e3 / seconds);
    reporter.show(progress.fraction, numbers, seconds);
  };
  const PackOutcome outcome = pack(request, hooks);
  if (!outcome.finished) {
    reporter.message("mesita pack: interrupted; the same command goes on");
    return kInterrupted;
  }
  reporter.message("mesita pack: done");
  print(outcome.info, request.out, json);
  return 0;
}

int run(int argc, char** argv) {
  CLI::App app(
      "Turns texts into ids on the disk, which training maps into memory. A pack that was "
      "interrupted is continued by the same command.",
      "mesita pack");
  app.set_version_flag("--version", "mesita pack " MESITA_VERSION ", pack format 1");
  PackRequest request;
  request.threads = std::max(1U, std::thread::hardware_concurrency());
  fs::path inspected;
  bool json = false;
  app.add_option("FILE", request.inputs,
                 "texts: .txt (<|endoftext|> lines between documents), .jsonl, .json, also packed "
                 "(.zst, .gz)");
  app.add_option("--tokenizer,-t", request.tokenizer,
                 "tokenizer folder, checkpoint folder or .model file");
  app.add_option("--out,-o", request.out, "folder for the pack; must be new or empty");
  app.add_flag_callback(
      "--skip-malformed", [&] { request.malformed = mesita::corpus::Malformed::skip; },
      "count and report records that are no document, and ends of files that are damaged, instead "
      "of failing");
  app.add_option("--threads", request.threads, "threads that encode (default: the machine's cores)")
      ->check(CLI::Range(1, 1024));
  app.add_option("--save-every", request.save_interval,
                 "bytes of text between two places on the disk from which a killed pack goes on")
      ->check(CLI::Range(int64_t{1} << 16, int64_t{1} << 50))
      ->capture_default_str();
  app.add_option("--inspect", inspected, "check a pack, every byte, and describe it");
  app.add_flag("--json", json, "print one JSON document, the pack's pack.json");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (!inspected.empty()) {
    if (!request.inputs.empty() || !request.out.empty() || !request.tokenizer.empty())
      throw std::invalid_argument("--inspect takes a pack and nothing else");
    const TokenPack found(inspected);
    (void)found.tokenizer();
    print(found.info(), inspected, json);
    return 0;
  }
  if (request.inputs.empty()) throw std::invalid_argument("there is no FILE to pack");
  if (request.tokenizer.empty()) throw std::invalid_argument("--tokenizer is needed");
  if (request.out.empty()) throw std::invalid_argument("--out is needed");
  return run_pack(request, json);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::invalid_argument& error) {
    std::cerr << "mesita pack: " << error.what() << '\n';
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "mesita pack: " << error.what() << '\n';
    return 1;
  }
}
