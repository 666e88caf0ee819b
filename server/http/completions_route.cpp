#include "server/http/completions_route.h"

#include <memory>
#include <utility>

#include "server/http/answer_identity.h"
#include "server/http/completion_request.h"
#include "server/http/completion_run.h"
#include "server/http/completion_stream.h"
#include "server/http/json_body.h"

namespace mesita::http {

namespace {

Response answer_whole(CompletionRun& run, const CompletionHeader& header,
                      const CompletionRequest& completion, const Request& request) {
  std::vector<ChoiceDelta> choices(static_cast<size_t>(run.choices()));
  while (!run.finished()) {
    for (ChoiceUpdate& update : run.take(kPatience)) {
      if (!update.error.empty()) throw failure(update.error);
      append(choices[static_cast<size_t>(update.choice)], std::move(update.delta));
    }
    // Of a finished answer, a client that only closed its sending side can still be told.
    if (!run.finished() && request.client_gone()) return client_gone_response();
  }
  return json_response(
      completion_json(header, choices, completion.logprobs.has_value(), run.usage(0)));
}

}  // namespace

Response answer_completions(const RouteContext& context, const Request& request) {
  Fields fields(parse_body(request.body));
  const ModelEntry& model = model_of(context, request, fields);
  const CompletionRequest completion = parse_completion(fields, Streaming::as_asked);
  log_unknown(context, request, fields);
  const int64_t seed = completion.seed.value_or(fresh_seed());
  const CompletionHeader header = completion_header(model, seed);
  auto run = std::make_unique<CompletionRun>(context.engine, std::vector<const ModelEntry*>{&model},
                                             completion, seed);
  if (!completion.stream) return answer_whole(*run, header, completion, request);
  return stream_response(std::make_shared<CompletionStream>(
      std::move(run), std::vector<CompletionHeader>{header}, completion));
}

}  // namespace mesita::http
