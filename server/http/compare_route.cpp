#include "server/http/compare_route.h"

#include <memory>
#include <utility>

#include "server/http/answer_identity.h"
#include "server/http/completion_request.h"
#include "server/http/completion_run.h"
#include "server/http/completion_stream.h"
#include "server/http/json_body.h"

namespace mesita::http {

Response answer_compare(const RouteContext& context, const Request& request) {
  Fields fields(parse_body(request.body));
  const std::vector<const ModelEntry*> models = models_of(context, request, fields);
  const CompletionRequest completion = parse_completion(fields, Streaming::always);
  log_unknown(context, request, fields);
  const int64_t seed = completion.seed.value_or(fresh_seed());
  std::vector<CompletionHeader> headers;
  for (const ModelEntry* model : models) headers.push_back(completion_header(*model, seed));
  auto run = std::make_unique<CompletionRun>(context.engine, models, completion, seed);
  return stream_response(
      std::make_shared<CompletionStream>(std::move(run), std::move(headers), completion));
}

}  // namespace mesita::http
