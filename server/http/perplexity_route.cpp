#include "server/http/perplexity_route.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "server/http/completion_stream.h"
#include "server/http/json_body.h"
#include "server/http/perplexity_request.h"
#include "server/http/prompt_ids.h"
#include "server/http/scoring_run.h"
#include "server/http/token_text.h"

namespace mesita::http {

namespace {

using Place = tokenizer::Tokenizer::Place;

evaluation::ScoringOptions window_options(const PerplexityRequest& request,
                                          const std::vector<const ModelEntry*>& models) {
  evaluation::ScoringOptions options;
  options.score_end = request.score_end;
  int64_t smallest = models[0]->model().config.model.context;
  for (const ModelEntry* model : models) {
    if (options.score_end && !model->model().config.end) {
      throw invalid_request("score_end is set, but the model " + model->id + " has no end id",
                            "score_end");
    }
    smallest = std::min(smallest, model->model().config.model.context);
  }
  if (request.context.value_or(smallest) > smallest) {
    throw invalid_request(
        "context must not be above the models' smallest, " + std::to_string(smallest), "context");
  }
  options.context = request.context.value_or(smallest);
  options.stride = request.stride.value_or(std::max<int64_t>(1, options.context / 2));
  if (options.stride >= options.context) {
    throw invalid_request("stride must be below the context, " + std::to_string(options.context),
                          "stride");
  }
  return options;
}

/// All texts of all models, model by model.
std::vector<ScoringTask> prepare(const PerplexityRequest& request,
                                 const std::vector<const ModelEntry*>& models,
                                 const evaluation::ScoringOptions& options) {
  const auto names = request.parse_special ? SpecialNames::tokens : SpecialNames::text;
  std::vector<ScoringTask> tasks;
  for (const ModelEntry* model : models) {
    const std::string param = request.ids.empty() ? "texts" : "ids";
    try {
      for (const std::string& text : request.texts) {
        const std::vector<tokenizer::Span> spans = encode_spans(*model, text, names, param);
        tasks.push_back(
            {model, evaluation::prepare_spans(model->model(), text, spans, options), {}});
      }
      for (const std::vector<int32_t>& ids : request.ids) {
        tasks.push_back({model, evaluation::prepare_ids(model->model(), ids, options), {}});
      }
    } catch (const std::invalid_argument& error) {
      throw invalid_request(error.what(), param);
    }
  }
  return tasks;
}

void add_sums(Json& json, const evaluation::Score& sums) {
  json["tokens"] = sums.tokens;
  json["scored_tokens"] = sums.scored_tokens;
  json["skipped_tokens"] = sums.skipped_tokens;
  json["bytes"] = sums.bytes;
  json["words"] = sums.words;
  json["nats"] = sums.nats;
  json["nats_per_token"] = sums.nats_per_token();
  json["bits_per_token"] = sums.bits_per_token();
  json["bits_per_byte"] = sums.bits_per_byte();
  json["perplexity"] = sums.perplexity();
}

Json tokens_json(const ModelEntry& model, const std::vector<evaluation::TokenScore>& tokens) {
  const tokenizer::Tokenizer& tokenizer = *model.model().tokenizer;
  Json list = Json::array();
  Place place = Place::start;
  for (const evaluation::TokenScore& token : tokens) {
    list.push_back({{"id", token.id},
                    {"text", token_text(tokenizer, token.id, place)},
                    {"start", token.begin},
                    {"end", token.end},
                    {"nats", token.nats ? Json(*token.nats) : Json()}});
    if (!tokenizer.special_name(token.id)) place = Place::inside;
  }
  return list;
}

Json summary_json(const ModelEntry& model, const std::vector<evaluation::TextScore>& texts) {
  evaluation::Score sums;
  for (const evaluation::TextScore& text : texts) sums.add(text.sums);
  const evaluation::StandardErrors errors = evaluation::standard_errors(texts);
  Json json = {{"model", model.id}};
  add_sums(json, sums);
  json["stderr_nats_per_token_over_tokens"] = errors.over_tokens;
  json["stderr_nats_per_token_over_texts"] = errors.over_texts;
  return json;
}

}  // namespace

Response answer_perplexity(const RouteContext& context, const Request& request) {
  Fields fields(parse_body(request.body));
  const std::vector<const ModelEntry*> models = models_of(context, request, fields);
  const PerplexityRequest wanted = parse_perplexity(fields);
  log_unknown(context, request, fields);
  const evaluation::ScoringOptions options = window_options(wanted, models);
  ScoringRun run(context.engine, prepare(wanted, models, options));
  while (run.advance(kPatience)) {
    if (request.client_gone()) return client_gone_response();
  }
  std::vector<evaluation::TextScore> scores = run.scores();
  const size_t texts = scores.size() / models.size();
  Json results = Json::array(), summary = Json::array();
  for (size_t m = 0; m < models.size(); ++m) {
    const auto first = scores.begin() + static_cast<ptrdiff_t>(m * texts);
    const std::vector<evaluation::TextScore> mine(first, first + static_cast<ptrdiff_t>(texts));
    for (size_t i = 0; i < texts; ++i) {
      Json result = {{"model", models[m]->id}, {"text_index", i}};
      add_sums(result, mine[i].sums);
      if (wanted.per_token) result["per_token"] = tokens_json(*models[m], mine[i].tokens);
      results.push_back(std::move(result));
    }
    summary.push_back(summary_json(*models[m], mine));
  }
  return json_response({{"convention", "document"},
                        {"context", options.context},
                        {"stride", options.stride},
                        {"results", std::move(results)},
                        {"summary", std::move(summary)},
                        {"pairs", Json::array()}});
}

}  // namespace mesita::http
