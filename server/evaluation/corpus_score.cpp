#include "server/evaluation/corpus_score.h"

#include <stdexcept>
#include <utility>

namespace mesita::evaluation {
namespace {

PreparedText prepare(const ModelHandle& model, const SourceText& source,
                     const ScoringOptions& options) {
  try {
    return prepare_text(model, source.text, options);
  } catch (const std::invalid_argument& refused) {
    throw std::runtime_error(source.origin + ": " + refused.what());
  }
}

}  // namespace

CorpusScore score_corpus(const ModelHandle& model, const std::vector<SourceText>& texts,
                         const ScoringOptions& options, const ScoringProgress& progress) {
  prepare_ids(model, {}, options);  // wrong options are the caller's mistake, not a text's
  double all = 0.0;
  for (const SourceText& source : texts) all += static_cast<double>(source.text.size());
  double before = 0.0;
  std::vector<TextScore> scores;
  CorpusScore result;
  for (const SourceText& source : texts) {
    PreparedText text = prepare(model, source, options);
    const auto bytes = static_cast<double>(source.text.size());
    const auto windows = static_cast<double>(text.windows.size());
    double window = 0.0;
    const auto report = [&] {
      if (progress && all > 0) progress((before + bytes * window++ / windows) / all);
      return true;
    };
    scores.push_back(score_prepared(model, std::move(text), report));
    result.sums.add(scores.back().sums);
    before += bytes;
  }
  result.model = model.id;
  result.texts = static_cast<int64_t>(texts.size());
  result.context = options.context == 0 ? model.config.model.context : options.context;
  result.stride = options.stride == 0 ? result.context / 2 : options.stride;
  result.errors = standard_errors(scores);
  return result;
}

}  // namespace mesita::evaluation
