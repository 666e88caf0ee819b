#include "server/http/completion_stream.h"

#include <utility>

#include "server/http/event_stream.h"

namespace mesita::http {

CompletionStream::CompletionStream(std::unique_ptr<CompletionRun> run,
                                   std::vector<CompletionHeader> headers,
                                   const CompletionRequest& request)
    : run_(std::move(run)),
      headers_(std::move(headers)),
      logprobs_(request.logprobs.has_value()),
      include_usage_(request.include_usage) {}

bool CompletionStream::next(std::string& bytes) {
  const UsageField usage = include_usage_ ? UsageField::null : UsageField::absent;
  for (const ChoiceUpdate& update : run_->take(kPatience)) {
    if (!update.error.empty()) {
      bytes += event(failure(update.error).body());
      return false;
    }
    if (update.delta.empty()) continue;
    bytes +=
        event(chunk_json(headers_[update.part], update.choice, update.delta, logprobs_, usage));
  }
  if (!run_->finished()) return true;
  for (size_t part = 0; include_usage_ && part < headers_.size(); ++part) {
    bytes += event(usage_chunk_json(headers_[part], run_->usage(part)));
  }
  bytes += kDoneEvent;
  return false;
}

}  // namespace mesita::http
