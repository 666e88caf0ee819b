#include "server/http/service.h"

#include <spdlog/spdlog.h>

#include <new>
#include <string>
#include <utility>

#include "server/http/compare_route.h"
#include "server/http/completions_route.h"
#include "server/http/health_route.h"
#include "server/http/models_route.h"
#include "server/http/perplexity_route.h"
#include "server/http/tokenize_route.h"

namespace mesita::http {

namespace {

constexpr std::string_view kHealth = "/health";

void check_content_type(const RequestHead& head) {
  std::string_view type = head.header("Content-Type").value_or("");
  type = type.substr(0, type.find(';'));
  while (type.ends_with(' ') || type.ends_with('\t')) type.remove_suffix(1);
  if (!equal_ignoring_case(type, "application/json")) {
    throw ApiError(415, "invalid_request_error",
                   "the body must be JSON: send Content-Type: application/json");
  }
}

Response answer_options(const RequestHead& head, const AccessPolicy& policy) {
  Response response;
  response.status = 204;
  response.content_type.clear();
  response.headers = policy.preflight_headers(head);
  response.headers.emplace_back("Allow", "GET, HEAD, POST, OPTIONS");
  return response;
}

}  // namespace

Service::Service(AccessPolicy policy, const std::vector<PageFile>& page)
    : policy_(std::move(policy)) {
  add_routes(page);
}

Service::~Service() {
  close();
}

void Service::add_routes(const std::vector<PageFile>& page) {
  const auto get = [this](const std::string& path, Handler handler) {
    router_.add("GET", path, Access::key, std::move(handler));
  };
  using Route = Response (*)(const RouteContext&, const Request&);
  const auto post = [this](const std::string& path, Route respond) {
    router_.add("POST", path, Access::key,
                [this, respond](const Request& request) { return respond(context(), request); });
  };
  router_.add("GET", std::string(kHealth), Access::open,
              [this](const Request&) { return answer_health(ready_); });
  get("/v1/models", [this](const Request&) { return answer_models(context()); });
  get("/v1/models/*", [this](const Request& request) { return answer_model(context(), request); });
  get("/tokenizer_info",
      [this](const Request& request) { return answer_tokenizer_info(context(), request); });
  post("/v1/completions", answer_completions);
  post("/compare", answer_compare);
  post("/perplexity", answer_perplexity);
  post("/tokenize", answer_tokenize);
  post("/detokenize", answer_detokenize);
  for (const PageFile& file : page) {
    router_.add("GET", std::string(file.path), Access::open,
                [file](const Request&) { return answer_page(file); });
  }
}

void Service::open(ModelRegistry registry, int64_t admitted) {
  std::vector<std::shared_ptr<const model::LanguageModel>> models;
  std::vector<std::string> ids;
  for (const ModelEntry& entry : registry.entries()) {
    ids.push_back(entry.id);
    if (entry.loaded()) models.push_back(entry.model().model);
  }
  registry_.emplace(std::move(registry));
  engine_ = std::make_unique<EngineThread>(std::move(models), admitted);
  router_.set_models(std::move(ids));
  ready_ = true;
}

void Service::close() {
  closed_ = true;
  if (ready_) engine_->stop();
}

int64_t Service::active() const {
  return ready_ ? engine_->active() : 0;
}

void Service::admit(const RequestHead& head) {
  policy_.check_origin(head);
  if (head.method == "OPTIONS") return;
  if (closed_) throw unavailable(std::string(kShuttingDown));
  // The router may be read only when open() has completed it.
  if (!ready_ && head.path != kHealth) throw unavailable("the models are loading");
  if (!ready_) return;
  // Without the key nobody learns which models there are, from refusals neither.
  try {
    const Router::Match match = router_.match(head.method, head.path);
    if (match.access == Access::key || !match.model.empty()) policy_.check_key(head);
  } catch (const ApiError&) {
    policy_.check_key(head);
    throw;
  }
  if (head.method == "POST") check_content_type(head);
}

Response Service::answer(const RequestHead& head, Request request) {
  if (head.method == "OPTIONS") return answer_options(head, policy_);
  try {
    return route(head, request);
  } catch (const ApiError& error) {
    return error_response(error);
  } catch (const std::bad_alloc&) {
    spdlog::error("{} {}: out of memory", request.id, request.path);
    return error_response(unavailable("not enough memory for this request"));
  } catch (const std::exception& error) {
    spdlog::error("{} {}: {}", request.id, request.path, error.what());
    return error_response(server_error("internal error; the server's log says more"));
  }
}

Response Service::route(const RequestHead& head, Request& request) {
  if (!ready_) return answer_health(ready_);
  const Router::Match match = router_.match(head.method, head.path);
  request.path = match.path;
  request.model = match.model;
  return (*match.handler)(request);
}

std::vector<std::pair<std::string, std::string>> Service::common_headers(const RequestHead& head) {
  auto headers = policy_.cors_headers(head);
  headers.emplace_back("X-Content-Type-Options", "nosniff");
  return headers;
}

}  // namespace mesita::http
