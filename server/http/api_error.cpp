#include "server/http/api_error.h"

#include <utility>

#include "tokenizer/utf8.h"

namespace mesita::http {

namespace {

constexpr auto kInvalidRequest = "invalid_request_error";

Json text_or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

}  // namespace

ApiError::ApiError(int status, std::string type, const std::string& message, std::string param,
                   std::string code)
    : std::runtime_error(message),
      status_(status),
      type_(std::move(type)),
      param_(std::move(param)),
      code_(std::move(code)) {}

ApiError& ApiError::with(const std::string& key, Json value) {
  more_[key] = std::move(value);
  return *this;
}

ApiError& ApiError::with_header(const std::string& name, const std::string& value) {
  headers_.emplace_back(name, value);
  return *this;
}

Json ApiError::body() const {
  Json error = {{"message", what()},
                {"type", type_},
                {"param", text_or_null(param_)},
                {"code", text_or_null(code_)}};
  error.update(more_);
  return Json{{"error", std::move(error)}};
}

ApiError invalid_request(const std::string& message, std::string param, std::string code) {
  return {400, kInvalidRequest, message, std::move(param), std::move(code)};
}

ApiError model_not_found(const std::string& message) {
  return {404, kInvalidRequest, message, "model", "model_not_found"};
}

ApiError context_exceeded(int64_t prompt_tokens, int64_t context) {
  return ApiError(400, "exceed_context_size_error",
                  "the prompt has " + std::to_string(prompt_tokens) +
                      " tokens (start of document counted), the model's context is " +
                      std::to_string(context) +
                      ": shorten the prompt (a prompt that fills the context leaves room for "
                      "max_tokens 0 or 1)",
                  "prompt", "context_length_exceeded")
      .with("n_prompt_tokens", prompt_tokens)
      .with("n_ctx", context);
}

ApiError overloaded(int64_t admitted) {
  return ApiError(429, "rate_limit_error",
                  "the server already works on " + std::to_string(admitted) +
                      " sequences and admits no more at present: try again later",
                  "", "overloaded")
      .with_header("Retry-After", "1");
}

ApiError unavailable(const std::string& message) {
  return ApiError(503, "unavailable_error", message).with_header("Retry-After", "1");
}

ApiError server_error(const std::string& message) {
  return {500, "server_error", message};
}

std::string excerpt(std::string_view text) {
  constexpr size_t kShown = 64;
  if (text.size() <= kShown) return std::string(text);
  return std::string(text.substr(0, tokenizer::floor_to_character(text, kShown))) + "...";
}

std::string in_quotes(std::string_view text) {
  return "\"" + excerpt(text) + "\"";
}

std::string to_text(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace mesita::http
