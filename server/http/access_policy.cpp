#include "server/http/access_policy.h"

#include <algorithm>
#include <stdexcept>

#include "server/http/api_error.h"
#include "server/http/url_path.h"

namespace mesita::http {

namespace {

constexpr std::string_view kBearer = "Bearer ";

/// "http://name:port" -> "name:port"; nothing for anything else.
std::optional<std::string_view> authority_of(std::string_view origin) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (origin.starts_with(scheme)) return origin.substr(scheme.size());
  }
  return std::nullopt;
}

bool is_dotted(std::string_view host) {
  return std::all_of(host.begin(), host.end(),
                     [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
}

std::vector<std::string> requested_header_names(const RequestHead& head) {
  constexpr size_t kMost = 64, kLongest = 64;
  std::vector<std::string> names;
  std::string_view list = head.header("Access-Control-Request-Headers").value_or("");
  while (!list.empty() && names.size() < kMost) {
    const size_t comma = list.find(',');
    std::string_view name = list.substr(0, comma);
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
    while (name.starts_with(' ')) name.remove_prefix(1);
    while (name.ends_with(' ')) name.remove_suffix(1);
    if (is_token(name) && name.size() <= kLongest) names.emplace_back(name);
  }
  return names;
}

}  // namespace

bool is_exposed(const AccessOptions& options) {
  return options.api_keys.empty() && !is_loopback(options.host);
}

AccessPolicy::AccessPolicy(AccessOptions options)
    : options_(std::move(options)), loopback_(is_loopback(options_.host)) {
  for (const std::string& key : options_.api_keys) {
    if (key.empty()) throw std::invalid_argument("an API key must not be empty");
  }
  for (const std::string& origin : options_.cors_origins) {
    const auto authority = authority_of(origin);
    if (origin != "*" && (!authority || !host_name(*authority))) {
      throw std::invalid_argument("CORS origin \"" + origin +
                                  "\" is not of the form scheme://host[:port], nor *");
    }
  }
}

std::optional<std::string> AccessPolicy::allowed_origin(const RequestHead& head) const {
  const auto origin = head.header("Origin");
  if (!origin) return std::nullopt;
  for (const std::string& allowed : options_.cors_origins) {
    if (allowed == "*" || allowed == *origin) return allowed;
  }
  return std::nullopt;
}

void AccessPolicy::check_origin(const RequestHead& head) const {
  const std::string_view host = head.header("Host").value_or("");
  if (loopback_ && !host.empty()) {
    const auto name = host_name(host);
    if (!name || !(is_loopback(*name) || equal_ignoring_case(*name, options_.host))) {
      throw ApiError(
          403, "permission_error",
          "the Host header names another machine: this server answers to localhost only");
    }
  }
  const auto origin = head.header("Origin");
  if (!origin || head.method == "GET" || head.method == "HEAD" || allowed_origin(head)) return;
  const auto authority = authority_of(*origin);
  const bool same = authority && !host.empty() && equal_ignoring_case(*authority, host);
  if (!same) {
    throw ApiError(403, "permission_error",
                   "requests from pages of this origin are not allowed: start the server with "
                   "--cors-origin to allow one");
  }
}

void AccessPolicy::check_key(const RequestHead& head) const {
  if (options_.api_keys.empty()) return;
  std::string_view given;
  const auto authorization = head.header("Authorization");
  if (authorization && authorization->size() > kBearer.size() &&
      equal_ignoring_case(authorization->substr(0, kBearer.size()), kBearer)) {
    given = authorization->substr(kBearer.size());
  } else if (const auto key = head.header("X-Api-Key")) {
    given = *key;
  }
  bool known = false;
  for (const std::string& key : options_.api_keys) known |= equal_in_constant_time(key, given);
  if (!known) {
    throw ApiError(401, "authentication_error",
                   given.empty() ? "an API key is needed: send Authorization: Bearer KEY"
                                 : "the API key is wrong",
                   "", "invalid_api_key")
        .with_header("WWW-Authenticate", "Bearer");
  }
}

std::vector<std::pair<std::string, std::string>> AccessPolicy::cors_headers(
    const RequestHead& head) const {
  std::vector<std::pair<std::string, std::string>> headers;
  if (options_.cors_origins.empty()) return headers;
  headers.emplace_back("Vary", "Origin");
  if (const auto origin = allowed_origin(head)) {
    headers.emplace_back("Access-Control-Allow-Origin", *origin);
    headers.emplace_back("Access-Control-Expose-Headers", "x-request-id, Retry-After");
  }
  return headers;
}

std::vector<std::pair<std::string, std::string>> AccessPolicy::preflight_headers(
    const RequestHead& head) const {
  if (!allowed_origin(head)) return {};
  std::string names = "Authorization, Content-Type, X-Api-Key";
  for (const std::string& name : requested_header_names(head)) names += ", " + name;
  return {{"Access-Control-Allow-Methods", "GET, POST, OPTIONS"},
          {"Access-Control-Allow-Headers", names},
          {"Access-Control-Max-Age", "600"}};
}

bool is_loopback(std::string_view host) {
  return equal_ignoring_case(host, "localhost") || host == "::1" ||
         (host.starts_with("127.") && is_dotted(host));
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  if (b.empty()) return a.empty();
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (size_t i = 0; i < a.size(); ++i) {
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i % b.size()]);
  }
  return difference == 0;
}

}  // namespace mesita::http
