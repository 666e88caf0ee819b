#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/http/request_head.h"

namespace mesita::http {

/// Who may use the server.
struct AccessOptions {
  std::string host = "127.0.0.1";         // what the server is bound to
  std::vector<std::string> api_keys;      // empty: no key is asked for
  std::vector<std::string> cors_origins;  // exact origins ("https://a.example"), or "*"
};

/// Whether whoever reaches this machine may use the server, and with DNS rebinding any web page
/// that such a person visits: bound to more than loopback, without a key.
bool is_exposed(const AccessOptions& options);

/// Decides about a request by its head alone. Answers of the policy never repeat what a client
/// sent, but for header names that a preflight asks for, after checking that they are names.
class AccessPolicy {
 public:
  /// Throws std::invalid_argument for an origin that is not `scheme://host[:port]` or "*", and for
  /// an empty key.
  explicit AccessPolicy(AccessOptions options);

  /// Throws ApiError 403: a Host that is not this machine's although the server is bound to
  /// loopback (DNS rebinding), or a foreign Origin on anything but GET and HEAD.
  void check_origin(const RequestHead& head) const;
  /// Throws ApiError 401 without a valid key (Authorization: Bearer, or X-Api-Key).
  void check_key(const RequestHead& head) const;
  /// Headers for every answer to this request.
  std::vector<std::pair<std::string, std::string>> cors_headers(const RequestHead& head) const;
  /// More headers for the answer to OPTIONS.
  std::vector<std::pair<std::string, std::string>> preflight_headers(const RequestHead& head) const;

 private:
  /// Value of Access-Control-Allow-Origin; nothing when the origin is absent or foreign.
  std::optional<std::string> allowed_origin(const RequestHead& head) const;

  AccessOptions options_;
  bool loopback_;
};

/// Whether a host name or address names this machine only.
bool is_loopback(std::string_view host);

/// Compares in a time that depends on the lengths alone.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace mesita::http
