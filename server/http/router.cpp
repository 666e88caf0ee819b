#include "server/http/router.h"

#include <algorithm>
#include <utility>

namespace mesita::http {

namespace {

constexpr std::string_view kModels = "/models/";

ApiError not_found() {
  return {404, "invalid_request_error", "there is no such path: see server/http/README.md", "",
          "not_found"};
}

}  // namespace

void Router::add(const std::string& method, const std::string& path, Access access,
                 Handler handler) {
  const bool below = path.ends_with("/*");
  Methods& methods = below ? below_[path.substr(0, path.size() - 1)] : exact_[path];
  methods[method] = {access, std::move(handler)};
}

void Router::set_models(std::vector<std::string> ids) {
  models_ = std::move(ids);
  std::sort(models_.begin(), models_.end(),
            [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
}

const Router::Methods* Router::find(const std::string& path) const {
  const auto exact = exact_.find(path);
  if (exact != exact_.end()) return &exact->second;
  for (const auto& [prefix, methods] : below_) {
    if (path.size() > prefix.size() && path.starts_with(prefix)) return &methods;
  }
  return nullptr;
}

Router::Match Router::match(const std::string& method, const std::string& path) const {
  Match match;
  match.path = path;
  if (path.starts_with(kModels)) {
    const std::string rest = path.substr(kModels.size());
    const auto fits = [&](const std::string& id) {
      return rest == id || rest.starts_with(id + "/");
    };
    const auto model = std::find_if(models_.begin(), models_.end(), fits);
    if (model == models_.end()) {
      throw model_not_found(
          "no model with an id like the one in this path: GET /v1/models lists them");
    }
    match.model = *model;
    match.path = rest == *model ? "/v1/models/" + rest : rest.substr(model->size());
  }
  const Methods* methods = find(match.path);
  if (methods == nullptr) throw not_found();
  const auto route = methods->find(method == "HEAD" ? "GET" : method);
  if (route == methods->end()) {
    std::string allowed;
    for (const auto& [name, ignored] : *methods) allowed += name + ", ";
    if (methods->contains("GET")) allowed += "HEAD, ";
    throw ApiError(405, "invalid_request_error", "this path does not know this method", "",
                   "method_not_allowed")
        .with_header("Allow", allowed + "OPTIONS");
  }
  match.handler = &route->second.handler;
  match.access = route->second.access;
  return match;
}

}  // namespace mesita::http
