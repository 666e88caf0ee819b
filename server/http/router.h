#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "server/http/http_message.h"

namespace mesita::http {

using Handler = std::function<Response(const Request&)>;

/// Whether a route asks for the API key where there is one.
enum class Access { key, open };

/// Finds the handler of a request. Every route also exists under /models/{id}/..., where the id,
/// which may hold slashes, is the longest known one that fits. /models/{id} alone is
/// /v1/models/{id}.
class Router {
 public:
  /// A route for one path, or for all paths below it when it ends in "/*".
  void add(const std::string& method, const std::string& path, Access access, Handler handler);
  /// Ids for /models/{id}/...
  void set_models(std::vector<std::string> ids);

  struct Match {
    const Handler* handler = nullptr;
    Access access = Access::key;
    std::string path;   // without /models/{id}
    std::string model;  // that id, else empty
  };
  /// `method` HEAD means GET. Throws ApiError 404 (unknown path or model) and 405 (with Allow).
  Match match(const std::string& method, const std::string& path) const;

 private:
  struct Route {
    Access access = Access::key;
    Handler handler;
  };
  using Methods = std::map<std::string, Route>;

  /// The methods of a path; null when there is no such path.
  const Methods* find(const std::string& path) const;

  std::map<std::string, Methods> exact_;
  std::map<std::string, Methods> below_;  // by prefix, which ends in a slash
  std::vector<std::string> models_;
};

}  // namespace mesita::http
