#include "training/data/run_data.h"

#include <filesystem>
#include <span>
#include <stdexcept>

#include "model/checkpoint/sha256.h"
#include "training/data/document_evaluation.h"
#include "training/data/document_files.h"
#include "training/data/document_source.h"
#include "training/data/grammar_source.h"
#include "training/tasks/story_grammar.h"

namespace mesita::training {
namespace {

void fit_vocabulary(RunConfig& config, const tokenizer::Tokenizer& tokenizer) {
  if (config.model.vocabulary == 0) config.model.vocabulary = tokenizer.size();
  if (tokenizer.size() != config.model.vocabulary) {
    throw std::invalid_argument(
        "the tokenizer has " + std::to_string(tokenizer.size()) + " ids, but model.vocabulary is " +
        std::to_string(config.model.vocabulary) + "; set it to 0 to take the tokenizer's size");
  }
}

RowShape shape_of(const RunConfig& config) {
  return {config.batch.rows, config.row_context(), config.data.boundaries};
}

std::string hash_of(const TokenDocuments* training, const EvaluationSet& evaluation) {
  checkpoint::Sha256 hash;
  if (training != nullptr) hash.update(training->hash());
  for (const TokenBatch& batch : evaluation.batches) {
    hash.update(std::as_bytes(std::span(batch.ids)));
    hash.update(std::as_bytes(std::span(batch.targets)));
  }
  return hash.hex();
}

RunData grammar_data(RunConfig& config) {
  const RuleGrammar& grammar = story_grammar();
  RunData data;
  data.tokenizer = tokenizer::make_symbol_tokenizer(grammar.symbols(), {"<unk>", "<s>", "</s>"});
  fit_vocabulary(config, *data.tokenizer);
  for (const int64_t seed : config.all_seeds())
    data.training.push_back(
        std::make_unique<GrammarSource>(grammar, static_cast<uint64_t>(seed), shape_of(config)));
  data.evaluation = grammar_evaluation_set(grammar, config.evaluation.tokens, shape_of(config));
  data.start = RuleGrammar::kStart;
  data.end = RuleGrammar::kEnd;
  data.description = "stories of mesita's toy grammar";
  data.hash = hash_of(nullptr, data.evaluation);  // drawn from the grammar, as training's stories
  return data;
}

RunData document_data(RunConfig& config) {
  RunData data;
  data.tokenizer = find_tokenizer(config);
  fit_vocabulary(config, *data.tokenizer);
  const DocumentFiles files(*data.tokenizer, config.data.separator);
  const std::shared_ptr<const TokenDocuments> training = files.read(config.data.train);
  const auto validation = files.read(config.data.validation);
  for (const int64_t seed : config.all_seeds())
    data.training.push_back(std::make_unique<DocumentSource>(training, static_cast<uint64_t>(seed),
                                                             shape_of(config),
                                                             parse_weights(config.data.weights)));
  data.evaluation = document_evaluation_set(*validation, config.evaluation.tokens, shape_of(config),
                                            *data.tokenizer);
  data.hash = hash_of(training.get(), data.evaluation);
  data.start = training->marks().start;
  data.end = training->marks().end;
  data.description = std::to_string(training->count()) + " documents of ";
  for (const std::string& file : config.data.train) {
    data.description += (&file == config.data.train.data() ? "" : ", ") +
                        std::filesystem::path(file).filename().string();
  }
  return data;
}

}  // namespace

RunData make_run_data(RunConfig& config) {
  RunData data = config.data.kind == DataKind::text ? document_data(config) : grammar_data(config);
  if (!config.data.description.empty()) data.description = config.data.description;
  return data;
}

}  // namespace mesita::training
