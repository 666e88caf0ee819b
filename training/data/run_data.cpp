#include "training/data/run_data.h"

#include <filesystem>
#include <span>
#include <stdexcept>

#include "model/checkpoint/sha256.h"
#include "training/data/grammar_source.h"
#include "training/data/text_documents.h"
#include "training/data/text_source.h"
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

void add_ids(checkpoint::Sha256& hash, std::span<const int32_t> ids) {
  const auto size = static_cast<uint64_t>(ids.size());
  hash.update(std::as_bytes(std::span(&size, 1)));
  hash.update(std::as_bytes(ids));
}

std::string hash_of(const TokenDocuments* training, const EvaluationSet& evaluation) {
  checkpoint::Sha256 hash;
  if (training != nullptr) {
    for (const std::vector<int32_t>& document : training->documents) add_ids(hash, document);
  }
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
  data.training = std::make_unique<GrammarSource>(grammar, static_cast<uint64_t>(config.seed),
                                                  config.batch.rows, config.row_context());
  data.evaluation = grammar_evaluation_set(grammar, config.evaluation.tokens, config.batch.rows,
                                           config.row_context());
  data.start = RuleGrammar::kStart;
  data.end = RuleGrammar::kEnd;
  data.description = "stories of mesita's toy grammar";
  data.hash = hash_of(nullptr, data.evaluation);  // drawn from the grammar, as training's stories
  return data;
}

RunData text_data(RunConfig& config) {
  RunData data;
  data.tokenizer = tokenizer::load_tokenizer(config.data.tokenizer);
  fit_vocabulary(config, *data.tokenizer);
  const auto training =
      std::make_shared<TokenDocuments>(read_text_documents(config.data.train, *data.tokenizer));
  const TokenDocuments validation = read_text_documents(config.data.validation, *data.tokenizer);
  data.training = std::make_unique<TextSource>(training, static_cast<uint64_t>(config.seed),
                                               config.batch.rows, config.row_context());
  data.evaluation = text_evaluation_set(validation, config.evaluation.tokens, config.batch.rows,
                                        config.row_context(), token_bytes(*data.tokenizer));
  data.hash = hash_of(training.get(), data.evaluation);
  data.start = training->start;
  data.end = training->end;
  data.description = std::to_string(training->documents.size()) + " documents of " +
                     std::filesystem::path(config.data.train).filename().string();
  return data;
}

}  // namespace

RunData make_run_data(RunConfig& config) {
  RunData data = config.data.kind == DataKind::text ? text_data(config) : grammar_data(config);
  if (!config.data.description.empty()) data.description = config.data.description;
  return data;
}

}  // namespace mesita::training
