#include "server/http/url_path.h"

#include <algorithm>

#include "tokenizer/utf8.h"

namespace mesita::http {

namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_port(std::string_view text) {
  return !text.empty() && text.size() <= 5 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::optional<std::string> path_of_target(std::string_view target) {
  target = target.substr(0, target.find_first_of("?#"));
  if (!target.starts_with('/')) return std::nullopt;
  std::string path;
  for (size_t i = 0; i < target.size(); ++i) {
    if (target[i] != '%') {
      path += target[i];
      continue;
    }
    if (i + 2 >= target.size()) return std::nullopt;
    const int high = hex_digit(target[i + 1]), low = hex_digit(target[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    path += static_cast<char>(high * 16 + low);
    i += 2;
  }
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  if (std::any_of(path.begin(), path.end(), control)) return std::nullopt;
  if (tokenizer::find_invalid_utf8(path) != std::string_view::npos) return std::nullopt;
  return path;
}

std::optional<std::string> host_name(std::string_view authority) {
  std::string_view name = authority;
  std::string_view rest;
  if (authority.starts_with('[')) {
    const size_t close = authority.find(']');
    if (close == std::string_view::npos) return std::nullopt;
    name = authority.substr(1, close - 1);
    rest = authority.substr(close + 1);
  } else if (const size_t colon = authority.find(':'); colon != std::string_view::npos) {
    name = authority.substr(0, colon);
    rest = authority.substr(colon);
  }
  if (!rest.empty() && (rest[0] != ':' || !is_port(rest.substr(1)))) return std::nullopt;
  const auto allowed = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
           c == '-' || c == '_' || c == ':';
  };
  if (name.empty() || !std::all_of(name.begin(), name.end(), allowed)) return std::nullopt;
  return std::string(name);
}

}  // namespace mesita::http
