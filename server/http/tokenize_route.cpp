#include "server/http/tokenize_route.h"

#include "server/http/json_body.h"
#include "server/http/model_listing.h"
#include "server/http/prompt_ids.h"

namespace mesita::http {

namespace {

struct TextToTokenize {
  std::string text;
  std::string field;
  bool add_start = false;
};

TextToTokenize parse_text(Fields& fields) {
  const auto prompt = fields.text("prompt");
  const auto content = fields.text("content");
  if (prompt && content) throw invalid_request("send prompt or content, not both", "content");
  if (!prompt && !content) throw invalid_request("prompt (a string) is missing", "prompt");
  // vLLM's name and default with vLLM's field, llama.cpp's with llama.cpp's.
  const auto add_special_tokens = fields.boolean("add_special_tokens");
  const auto add_special = fields.boolean("add_special");
  const bool by_default = prompt.has_value();
  return {prompt ? *prompt : *content, prompt ? "prompt" : "content",
          add_special_tokens.value_or(add_special.value_or(by_default))};
}

}  // namespace

Response answer_tokenize(const RouteContext& context, const Request& request) {
  Fields fields(parse_body(request.body));
  const ModelEntry& model = model_of(context, request, fields);
  const TextToTokenize wanted = parse_text(fields);
  const bool parse_special = fields.boolean("parse_special").value_or(false);
  log_unknown(context, request, fields);
  std::vector<int32_t> ids;
  if (const auto special = model.model().tokenizer->special_id(wanted.text)) {
    ids.push_back(*special);  // exactly a special token's name: lm-eval asks for ids this way
  } else {
    ids = encode_text(model, wanted.text, parse_special ? SpecialNames::tokens : SpecialNames::text,
                      wanted.field);
  }
  const checkpoint::CheckpointConfig& config = model.model().config;
  if (wanted.add_start && config.document_start) ids.insert(ids.begin(), *config.document_start);
  return json_response(
      {{"tokens", ids}, {"count", ids.size()}, {"max_model_len", config.model.context}});
}

Response answer_detokenize(const RouteContext& context, const Request& request) {
  Fields fields(parse_body(request.body));
  const ModelEntry& model = model_of(context, request, fields);
  const auto ids = fields.ids("tokens");
  log_unknown(context, request, fields);
  if (!ids) throw invalid_request("tokens (an array of token ids) is missing", "tokens");
  check_ids(model, *ids, "tokens");
  const tokenizer::Tokenizer& tokenizer = *model.model().tokenizer;
  if (tokenizer.kind() == "none") {
    throw invalid_request("this model has no text, only ids: nothing to detokenize", "model");
  }
  const std::string text = tokenizer.decode(*ids, tokenizer::Tokenizer::Specials::spelled);
  return json_response({{"prompt", text}, {"content", text}});
}

Response answer_tokenizer_info(const RouteContext& context, const Request& request) {
  Fields fields(nlohmann::json::object());
  return json_response(tokenizer_info_json(model_of(context, request, fields)));
}

}  // namespace mesita::http
