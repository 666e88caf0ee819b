#include <iostream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "server/evaluation/generation.h"
#include "server/evaluation/program.h"

namespace {

using namespace mesita;

struct Flags {
  std::string model;
  std::optional<std::string> prompt;
  std::optional<uint64_t> seed;
  bool json = false;
  evaluation::GenerationRequest request;
};

void declare(CLI::App& app, Flags& flags) {
  app.add_option("--model", flags.model, "checkpoint folder, run folder, or id of a shipped model")
      ->required();
  app.add_option(
      "PROMPT", flags.prompt,
      "text to continue; - reads it from standard input (default: the start of a document)");
  app.add_option("--max-tokens", flags.request.max_tokens, "tokens to draw at most")
      ->check(evaluation::whole_number(0, std::numeric_limits<int32_t>::max()))
      ->capture_default_str();
  inference::SamplingOptions& sampling = flags.request.sampling;
  app.add_option("--temperature", sampling.temperature, "0: always the most probable token")
      ->check(evaluation::number(0.0, 1e6))
      ->capture_default_str();
  app.add_option("--top-p", sampling.top_p, "draw from the smallest set with this probability")
      ->check(evaluation::number(1e-9, 1.0))
      ->capture_default_str();
  app.add_option("--top-k", sampling.top_k, "draw from the k most probable tokens; 0: all")
      ->check(evaluation::whole_number(0, std::numeric_limits<int32_t>::max()))
      ->capture_default_str();
  app.add_option("--min-p", sampling.min_p, "drop tokens less probable than this times the best")
      ->check(evaluation::number(0.0, 1.0))
      ->capture_default_str();
  app.add_option("--seed", flags.seed, "of the random numbers (default: a fresh one, shown)")
      ->check(evaluation::random_seed());
  app.add_option("-n", flags.request.choices, "number of continuations")
      ->check(evaluation::whole_number(1, 128))
      ->capture_default_str();
  app.add_option("--stop", flags.request.stop, "end before this string; may be repeated")
      ->allow_extra_args(false);
  app.add_flag("--json", flags.json, "print one JSON document");
}

std::string read_standard_input() {
  return {std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
}

void print_json(const Flags& flags, const std::vector<evaluation::Generation>& results) {
  nlohmann::ordered_json choices = nlohmann::ordered_json::array();
  for (const evaluation::Generation& result : results) {
    choices.push_back({{"index", choices.size()},
                       {"text", result.text},
                       {"finish_reason", result.finish_reason},
                       {"tokens", result.tokens}});
  }
  const nlohmann::ordered_json document = {
      {"model", flags.model}, {"seed", flags.request.seed}, {"choices", choices}};
  constexpr auto kReplace = nlohmann::ordered_json::error_handler_t::replace;
  std::cout << document.dump(2, ' ', false, kReplace) << '\n';
}

void generate(Flags& flags) {
  flags.request.prompt = flags.prompt == "-" ? read_standard_input() : flags.prompt;
  const auto model = evaluation::load_model(evaluation::resolve_model(flags.model), flags.model);
  std::random_device entropy;
  flags.request.seed = flags.seed.value_or(entropy());
  if (!flags.seed) std::cerr << "seed " << flags.request.seed << '\n';
  if (flags.json) {
    print_json(flags, evaluation::generate(*model, flags.request));
    return;
  }
  int64_t last = flags.request.choices == 1 ? 0 : -1;
  evaluation::generate(*model, flags.request, [&last](int64_t choice, std::string_view text) {
    if (choice != last) std::cout << (last < 0 ? "" : "\n") << "== " << choice << '\n';
    last = choice;
    std::cout << text << std::flush;
  });
  std::cout << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  evaluation::Program program("mesita generate", "Continues a prompt with a language model.");
  Flags flags;
  declare(program.flags(), flags);
  return program.run(argc, argv, [&flags] { generate(flags); });
}
