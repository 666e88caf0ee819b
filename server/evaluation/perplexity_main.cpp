#include <unistd.h>

#include <iostream>
#include <limits>
#include <optional>

#include "server/evaluation/corpus_score.h"
#include "server/evaluation/program.h"
#include "server/evaluation/progress_line.h"
#include "server/evaluation/score_table.h"

namespace {

using namespace mesita;

struct Flags {
  std::vector<std::string> models;
  std::vector<std::filesystem::path> files;
  std::optional<int64_t> limit;
  evaluation::ScoringOptions scoring;
  bool json = false;
};

void declare(CLI::App& app, Flags& flags) {
  app.add_option("--model", flags.models,
                 "checkpoint folder, run folder, or id of a shipped model; may be repeated")
      ->required()
      ->allow_extra_args(false);
  app.add_option("FILE", flags.files,
                 "text; lines that hold nothing but <|endoftext|> stand between documents")
      ->required();
  app.add_option("--limit", flags.limit, "score only the first N documents")
      ->check(evaluation::whole_number(1, std::numeric_limits<int32_t>::max()));
  app.add_option("--context", flags.scoring.context, "tokens per window (default: the model's)")
      ->check(evaluation::whole_number(1, std::numeric_limits<int32_t>::max()));
  app.add_option("--stride", flags.scoring.stride,
                 "tokens from window to window in longer documents (default: half of the context)")
      ->check(evaluation::whole_number(1, std::numeric_limits<int32_t>::max()));
  app.add_flag("--score-end", flags.scoring.score_end, "also score the end of each document");
  app.add_flag("--json", flags.json, "print one JSON document");
}

void perplexity(const Flags& flags) {
  const auto texts = evaluation::read_source_texts(flags.files, flags.limit);
  std::vector<evaluation::CorpusScore> scores;
  for (const std::string& name : flags.models) {
    const auto model = evaluation::load_model(evaluation::resolve_model(name), name);
    std::optional<evaluation::ProgressLine> line;
    if (isatty(STDERR_FILENO) != 0) line.emplace(std::cerr, name);
    scores.push_back(evaluation::score_corpus(*model, texts, flags.scoring, [&line](double share) {
      if (line) line->show(share);
    }));
  }
  std::cout << (flags.json ? evaluation::score_json(scores) : evaluation::score_table(scores));
}

}  // namespace

int main(int argc, char** argv) {
  evaluation::Program program("mesita perplexity",
                              "Scores each document of text files alone under one or more models.");
  Flags flags;
  declare(program.flags(), flags);
  return program.run(argc, argv, [&flags] { perplexity(flags); });
}
