#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace mesita::checkpoint {

/// Typed, checked access to the members of a JSON object. Every function throws std::runtime_error
/// that names the place, the key, what was found and what is expected.
class JsonObject {
 public:
  /// `value` must outlive this; `where` is for messages ("config.json" or "config.json: model").
  JsonObject(const nlohmann::json& value, std::string where);

  /// Refuses every key but these; the message proposes the nearest one.
  void allow_only(std::span<const std::string_view> known) const;

  bool has(std::string_view key) const;
  const nlohmann::json& at(std::string_view key) const;
  int64_t integer(std::string_view key) const;
  uint64_t unsigned_integer(std::string_view key) const;
  std::optional<int64_t> integer_or_null(std::string_view key) const;
  double number(std::string_view key) const;
  bool boolean(std::string_view key) const;
  std::string text(std::string_view key) const;
  JsonObject object(std::string_view key) const;

  /// Checks "format_version": throws when it is newer than `newest` (use a newer program) or
  /// unknown.
  void require_format(int64_t newest) const;

 private:
  const nlohmann::json* value_;
  std::string where_;
};

}  // namespace mesita::checkpoint
