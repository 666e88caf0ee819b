#include "server/http/completion_json.h"

#include <iterator>
#include <utility>

namespace mesita::http {

namespace {

Json envelope(const CompletionHeader& header, Json choices) {
  return {{"id", header.id},
          {"object", "text_completion"},
          {"created", header.created},
          {"model", header.model},
          {"system_fingerprint", header.fingerprint},
          {"choices", std::move(choices)}};
}

Json choice_json(const CompletionHeader& header, int64_t choice, const ChoiceDelta& delta,
                 bool logprobs) {
  return {{"index", choice},
          {"text", delta.text},
          {"logprobs", logprobs ? logprobs_json(delta.entries) : Json()},
          {"finish_reason", delta.finish_reason ? Json(*delta.finish_reason) : Json()},
          {"seed", header.seed}};
}

}  // namespace

Json usage_json(const Usage& usage) {
  return {{"prompt_tokens", usage.prompt_tokens},
          {"completion_tokens", usage.completion_tokens},
          {"total_tokens", usage.prompt_tokens + usage.completion_tokens}};
}

Json logprobs_json(const std::vector<TokenEntry>& entries) {
  Json tokens = Json::array(), logprobs = Json::array(), tops = Json::array(),
       offsets = Json::array();
  for (const TokenEntry& entry : entries) {
    tokens.push_back(entry.text);
    offsets.push_back(entry.offset);
    if (!entry.logprob.logprob) {
      logprobs.push_back(nullptr);
      tops.push_back(nullptr);
      continue;
    }
    logprobs.push_back(*entry.logprob.logprob);
    Json top = Json::object();
    for (const auto& [text, logprob] : entry.logprob.top) top[text] = logprob;
    tops.push_back(std::move(top));
  }
  return {{"tokens", std::move(tokens)},
          {"token_logprobs", std::move(logprobs)},
          {"top_logprobs", std::move(tops)},
          {"text_offset", std::move(offsets)}};
}

Json chunk_json(const CompletionHeader& header, int64_t choice, const ChoiceDelta& delta,
                bool logprobs, UsageField usage) {
  Json chunk = envelope(header, Json::array({choice_json(header, choice, delta, logprobs)}));
  if (usage == UsageField::null) chunk["usage"] = nullptr;
  return chunk;
}

Json usage_chunk_json(const CompletionHeader& header, const Usage& usage) {
  Json chunk = envelope(header, Json::array());
  chunk["usage"] = usage_json(usage);
  return chunk;
}

Json completion_json(const CompletionHeader& header, const std::vector<ChoiceDelta>& choices,
                     bool logprobs, const Usage& usage) {
  Json list = Json::array();
  for (size_t i = 0; i < choices.size(); ++i) {
    list.push_back(choice_json(header, static_cast<int64_t>(i), choices[i], logprobs));
  }
  Json answer = envelope(header, std::move(list));
  answer["usage"] = usage_json(usage);
  return answer;
}

void append(ChoiceDelta& whole, ChoiceDelta&& next) {
  whole.text += next.text;
  whole.entries.insert(whole.entries.end(), std::make_move_iterator(next.entries.begin()),
                       std::make_move_iterator(next.entries.end()));
  whole.tokens += next.tokens;
  if (next.finish_reason) whole.finish_reason = std::move(next.finish_reason);
}

}  // namespace mesita::http
