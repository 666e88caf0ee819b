#include "server/http/perplexity_request.h"

#include <limits>
#include <utility>

#include "server/http/api_error.h"

namespace mesita::http {

PerplexityRequest parse_perplexity(Fields& fields) {
  PerplexityRequest request;
  auto texts = fields.texts("texts");
  auto ids = fields.id_lists("ids");
  if (texts && ids) throw invalid_request("send texts or ids, not both", "ids");
  if (!texts && !ids) throw invalid_request("texts (an array of strings) is missing", "texts");
  request.texts = std::move(texts).value_or(std::vector<std::string>{});
  request.ids = std::move(ids).value_or(std::vector<std::vector<int32_t>>{});
  const size_t count = request.texts.size() + request.ids.size();
  const std::string given = request.ids.empty() ? "texts" : "ids";
  if (count == 0) throw invalid_request("there is nothing to score", texts ? "texts" : "ids");
  if (count > kMaxTexts) {
    throw invalid_request("at most " + std::to_string(kMaxTexts) + " texts in one request", given);
  }
  const std::string convention = fields.text("convention").value_or("document");
  if (convention != "document") {
    throw invalid_request(
        "convention " + in_quotes(convention) + " is unknown here: there is document",
        "convention");
  }
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  request.context = fields.integer("context", 2, kMost);
  request.stride = fields.integer("stride", 1, kMost);
  request.per_token = fields.boolean("per_token").value_or(false);
  request.score_end = fields.boolean("score_end").value_or(false);
  request.parse_special = fields.boolean("parse_special").value_or(false);
  return request;
}

}  // namespace mesita::http
