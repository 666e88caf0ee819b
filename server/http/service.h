#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "server/http/access_policy.h"
#include "server/http/application.h"
#include "server/http/engine_thread.h"
#include "server/http/model_registry.h"
#include "server/http/page_route.h"
#include "server/http/route_models.h"
#include "server/http/router.h"
#include "server/http/unknown_fields.h"

namespace mesita::http {

/// The API: access, routes, models and the engine's thread behind them.
class Service final : public Application {
 public:
  Service(AccessPolicy policy, const std::vector<PageFile>& page);
  ~Service() override;

  /// Opens the routes. Until then everything but /health is answered by 503. Call once.
  void open(ModelRegistry registry, int64_t admitted = EngineThread::kAdmitted);
  /// Ends all work: running requests get a final error, new ones 503. Any thread.
  void close();
  /// Sequences at work.
  int64_t active() const;

  void admit(const RequestHead& head) override;
  Response answer(const RequestHead& head, Request request) override;
  std::vector<std::pair<std::string, std::string>> common_headers(const RequestHead& head) override;

 private:
  void add_routes(const std::vector<PageFile>& page);
  Response route(const RequestHead& head, Request& request);
  RouteContext context() { return {*registry_, *engine_, unknown_fields_}; }

  AccessPolicy policy_;
  Router router_;
  UnknownFields unknown_fields_;
  std::optional<ModelRegistry> registry_;
  std::unique_ptr<EngineThread> engine_;
  std::atomic<bool> ready_{false};  // registry_, engine_ and router_ are complete and stay
  std::atomic<bool> closed_{false};
};

}  // namespace mesita::http
