#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mesita::http {

/// JSON of answers: keys in the order in which they are written.
using Json = nlohmann::ordered_json;

/// A request that gets no result: HTTP status and the fields of OpenAI's error object.
class ApiError : public std::runtime_error {
 public:
  ApiError(int status, std::string type, const std::string& message, std::string param = "",
           std::string code = "");

  int status() const { return status_; }
  const std::string& param() const { return param_; }
  /// Adds a field to the error object beside the four usual ones.
  ApiError& with(const std::string& key, Json value);
  /// Adds a header to the answer.
  ApiError& with_header(const std::string& name, const std::string& value);
  const std::vector<std::pair<std::string, std::string>>& headers() const { return headers_; }
  /// {"error": {"message", "type", "param", "code", ...}}; empty param and code are null.
  Json body() const;

 private:
  int status_;
  std::string type_;
  std::string param_;
  std::string code_;
  Json more_ = Json::object();
  std::vector<std::pair<std::string, std::string>> headers_;
};

/// 400: the request is wrong; `param` names the field, empty when it is the body as a whole.
ApiError invalid_request(const std::string& message, std::string param = "", std::string code = "");
/// 404 for a model that is not served.
ApiError model_not_found(const std::string& message);
/// 400: a prompt that does not fit (llama.cpp's error type, with its two numbers).
ApiError context_exceeded(int64_t prompt_tokens, int64_t context);
/// 429: as many sequences as the server admits are at work; says when to try again.
ApiError overloaded(int64_t admitted);
/// 503: not yet, or no longer, at work.
ApiError unavailable(const std::string& message);
/// 500: the computation failed.
ApiError server_error(const std::string& message);

/// Valid UTF-8 that a client sent, as errors repeat it: cut after 64 bytes, between characters.
std::string excerpt(std::string_view text);
/// The same in quotation marks.
std::string in_quotes(std::string_view text);

/// JSON text; never throws: invalid UTF-8 becomes U+FFFD.
std::string to_text(const Json& value);

}  // namespace mesita::http
