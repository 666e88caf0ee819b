#pragma once

#include <memory>
#include <string>
#include <vector>

#include "server/http/completion_run.h"
#include "server/http/http_message.h"

namespace mesita::http {

/// A completion request's event stream: chunks of all choices and models as they come, usage chunks
/// if asked for, `[DONE]`; after a failure its error event and nothing more.
class CompletionStream final : public EventSource {
 public:
  /// `headers`: one for each model of the run.
  CompletionStream(std::unique_ptr<CompletionRun> run, std::vector<CompletionHeader> headers,
                   const CompletionRequest& request);

  bool next(std::string& bytes) override;

 private:
  std::unique_ptr<CompletionRun> run_;
  std::vector<CompletionHeader> headers_;
  bool logprobs_;
  bool include_usage_;
};

/// How long an answering thread waits before it looks again whether its client is still there.
inline constexpr std::chrono::milliseconds kPatience{100};

}  // namespace mesita::http
