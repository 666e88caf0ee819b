#include "server/evaluation/score_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

namespace mesita::evaluation {
namespace {

using Row = std::array<std::string, 7>;

std::string fixed(double value, int digits) {
  if (std::isnan(value)) return "-";
  std::ostringstream out;
  out << std::fixed << std::setprecision(digits) << value;
  return out.str();
}

Row row_of(const CorpusScore& score) {
  const double error = score.texts > 1 ? score.errors.over_texts : score.errors.over_tokens;
  return {score.model,
          std::to_string(score.texts),
          std::to_string(score.sums.tokens),
          std::to_string(score.sums.scored_tokens),
          fixed(score.sums.nats_per_token(), 4) + " ± " + fixed(error, 4),
          fixed(score.sums.bits_per_byte(), 4),
          fixed(score.sums.perplexity(), 3)};
}

// Characters of UTF-8 text: every byte that does not continue one.
size_t width_of(const std::string& text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

std::string score_table(const std::vector<CorpusScore>& scores) {
  std::vector<Row> rows = {
      {"model", "texts", "tokens", "scored", "nats/token ± stderr", "bits/byte", "perplexity"}};
  for (const CorpusScore& score : scores) rows.push_back(row_of(score));
  std::array<size_t, std::tuple_size_v<Row>> widths{};
  for (const Row& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string table;
  for (const Row& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string blanks(widths[i] - width_of(row[i]), ' ');
      table += i == 0 ? row[i] + blanks : "  " + blanks + row[i];
    }
    table += '\n';
  }
  return table;
}

std::string score_json(const std::vector<CorpusScore>& scores) {
  nlohmann::ordered_json summary = nlohmann::ordered_json::array();
  for (const CorpusScore& score : scores) {
    summary.push_back({{"model", score.model},
                       {"texts", score.texts},
                       {"context", score.context},
                       {"stride", score.stride},
                       {"tokens", score.sums.tokens},
                       {"scored_tokens", score.sums.scored_tokens},
                       {"skipped_tokens", score.sums.skipped_tokens},
                       {"bytes", score.sums.bytes},
                       {"words", score.sums.words},
                       {"nats", score.sums.nats},
                       {"nats_per_token", score.sums.nats_per_token()},
                       {"bits_per_token", score.sums.bits_per_token()},
                       {"bits_per_byte", score.sums.bits_per_byte()},
                       {"perplexity", score.sums.perplexity()},
                       {"stderr_nats_per_token_over_tokens", score.errors.over_tokens},
                       {"stderr_nats_per_token_over_texts", score.errors.over_texts}});
  }
  const nlohmann::ordered_json document = {{"convention", "document"}, {"summary", summary}};
  constexpr auto kReplace = nlohmann::ordered_json::error_handler_t::replace;  // ids are file names
  return document.dump(2, ' ', false, kReplace) + "\n";
}

}  // namespace mesita::evaluation
