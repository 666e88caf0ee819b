#include "server/http/completion_request.h"

#include <charconv>
#include <limits>
#include <utility>

#include "server/http/api_error.h"

namespace mesita::http {

namespace {

constexpr int64_t kMaxChoices = 128;
constexpr int64_t kMaxLogprobs = 20;
constexpr int64_t kMaxInt32 = std::numeric_limits<int32_t>::max();
constexpr double kMaxNumber = std::numeric_limits<float>::max();

std::vector<Prompt> parse_prompts(Fields& fields) {
  const nlohmann::json& prompt = fields.value("prompt");
  if (prompt.is_null()) return {Prompt(std::string())};
  if (prompt.is_string()) return {Prompt(prompt.get<std::string>())};
  if (!prompt.is_array() || prompt.empty()) {
    throw invalid_request(
        "prompt must be a string, an array of strings, an array of token ids, or an array of "
        "arrays of token ids, and not empty",
        "prompt");
  }
  std::vector<Prompt> prompts;
  if (prompt[0].is_string()) {
    auto texts = fields.texts("prompt").value();
    for (std::string& text : texts) prompts.emplace_back(std::move(text));
  } else if (prompt[0].is_array()) {
    auto lists = fields.id_lists("prompt").value();
    for (std::vector<int32_t>& ids : lists) prompts.emplace_back(std::move(ids));
  } else {
    prompts.emplace_back(fields.ids("prompt").value());
  }
  for (const Prompt& one : prompts) {
    const auto* ids = std::get_if<std::vector<int32_t>>(&one);
    if (ids != nullptr && ids->empty()) {
      throw invalid_request("a prompt of token ids needs at least one id", "prompt");
    }
  }
  return prompts;
}

std::vector<std::string> parse_stop(Fields& fields) {
  const nlohmann::json& stop = fields.value("stop");
  std::vector<std::string> stops;
  if (stop.is_string()) {
    stops.push_back(stop.get<std::string>());
  } else if (auto several = fields.texts("stop")) {
    stops = std::move(*several);
  }
  if (stops.size() > kMaxStopStrings) {
    throw invalid_request("at most " + std::to_string(kMaxStopStrings) + " stop strings", "stop");
  }
  for (const std::string& one : stops) {
    if (one.empty()) throw invalid_request("a stop string must not be empty", "stop");
    if (one.size() > kMaxStopBytes) {
      throw invalid_request("a stop string has at most " + std::to_string(kMaxStopBytes) + " bytes",
                            "stop");
    }
  }
  return stops;
}

std::map<int32_t, double> parse_logit_bias(Fields& fields) {
  std::map<int32_t, double> biases;
  auto object = fields.object("logit_bias");
  if (!object) return biases;
  for (const std::string& key : object->unknown()) {
    int32_t id = 0;
    const char* end = key.data() + key.size();
    const auto parsed = std::from_chars(key.data(), end, id);
    if (parsed.ec != std::errc() || parsed.ptr != end || id < 0) {
      throw invalid_request("logit_bias: its keys are token ids, found " + in_quotes(key),
                            "logit_bias");
    }
    const nlohmann::json& bias = object->value(key);
    if (!bias.is_number() || !(bias.get<double>() >= -100.0 && bias.get<double>() <= 100.0)) {
      throw invalid_request("logit_bias of id " + excerpt(key) + " must be a number in [-100, 100]",
                            "logit_bias");
    }
    biases[id] = bias.get<double>();
  }
  return biases;
}

inference::SamplingOptions parse_sampling(Fields& fields) {
  inference::SamplingOptions sampling;
  sampling.temperature = fields.number("temperature", 0.0, 2.0).value_or(sampling.temperature);
  sampling.top_k = fields.integer("top_k", -1, kMaxInt32).value_or(sampling.top_k);
  sampling.top_p = fields.number("top_p", 0.0, 1.0).value_or(sampling.top_p);
  if (sampling.top_p == 0.0) throw invalid_request("top_p must be above 0", "top_p");
  sampling.min_p = fields.number("min_p", 0.0, 1.0).value_or(sampling.min_p);
  sampling.presence_penalty =
      fields.number("presence_penalty", -2.0, 2.0).value_or(sampling.presence_penalty);
  sampling.frequency_penalty =
      fields.number("frequency_penalty", -2.0, 2.0).value_or(sampling.frequency_penalty);
  sampling.repetition_penalty =
      fields.number("repetition_penalty", 0.0, kMaxNumber).value_or(sampling.repetition_penalty);
  if (sampling.repetition_penalty < std::numeric_limits<float>::min()) {
    throw invalid_request("repetition_penalty must be above 0", "repetition_penalty");
  }
  sampling.logit_bias = parse_logit_bias(fields);
  return sampling;
}

}  // namespace

CompletionRequest parse_completion(Fields& fields, Streaming streaming) {
  CompletionRequest request;
  request.prompts = parse_prompts(fields);
  request.choices = fields.integer("n", 1, kMaxChoices).value_or(request.choices);
  const auto best_of = fields.integer("best_of", 1, kMaxChoices);
  if (best_of && *best_of != request.choices) {
    throw invalid_request("best_of other than n is not supported", "best_of");
  }
  request.max_tokens = fields.integer("max_tokens", 0, kMaxInt32).value_or(request.max_tokens);
  request.echo = fields.boolean("echo").value_or(false);
  request.logprobs = fields.integer("logprobs", 0, kMaxLogprobs);
  request.stop = parse_stop(fields);
  request.seed = fields.integer("seed", std::numeric_limits<int64_t>::min(),
                                std::numeric_limits<int64_t>::max());
  request.sampling = parse_sampling(fields);
  request.stream = fields.boolean("stream").value_or(streaming == Streaming::always);
  if (!request.stream && streaming == Streaming::always) {
    throw invalid_request("this route only answers with a stream: leave stream out", "stream");
  }
  if (auto options = fields.object("stream_options")) {
    if (!request.stream) {
      throw invalid_request("stream_options needs \"stream\": true", "stream_options");
    }
    request.include_usage = options->boolean("include_usage").value_or(false);
  }
  if (!fields.value("suffix").is_null()) {
    throw invalid_request("suffix is not supported: these models only continue text", "suffix");
  }
  request.parse_special = fields.boolean("parse_special").value_or(false);
  fields.ignore("user");
  return request;
}

}  // namespace mesita::http
