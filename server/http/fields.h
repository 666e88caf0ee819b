#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace mesita::http {

/// Typed access to a request's fields. Absent and null both mean "default" (nothing is returned);
/// any other type than the asked one is an ApiError 400 with the field's name as `param`.
class Fields {
 public:
  /// Takes a JSON object.
  explicit Fields(nlohmann::json object);

  std::optional<bool> boolean(const std::string& name);
  /// An integer written as such (no fraction, no exponent) in [low, high].
  std::optional<int64_t> integer(const std::string& name, int64_t low, int64_t high);
  /// A finite number in [low, high].
  std::optional<double> number(const std::string& name, double low, double high);
  std::optional<std::string> text(const std::string& name);
  std::optional<std::vector<std::string>> texts(const std::string& name);
  std::optional<std::vector<int32_t>> ids(const std::string& name);
  std::optional<std::vector<std::vector<int32_t>>> id_lists(const std::string& name);
  /// An object's fields; unknown names in it are not reported.
  std::optional<Fields> object(const std::string& name);
  /// The value as it is; null when absent.
  const nlohmann::json& value(const std::string& name);
  /// Accepts a field without looking at it.
  void ignore(const std::string& name);

  /// Names of the object that nothing has asked for.
  std::vector<std::string> unknown() const;

 private:
  nlohmann::json object_;
  std::set<std::string> asked_;
};

/// A JSON array of integers as token ids; `param` names the field in errors. Any int32 passes: the
/// vocabulary is the model's matter.
std::vector<int32_t> ids_of(const nlohmann::json& list, const std::string& param);

}  // namespace mesita::http
