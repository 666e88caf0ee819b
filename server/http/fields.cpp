#include "server/http/fields.h"

#include <cmath>
#include <limits>
#include <sstream>
#include <utility>

#include "server/http/api_error.h"

namespace mesita::http {

namespace {

/// How a value is named in a message: its type, or itself when that is short.
std::string found(const nlohmann::json& value) {
  if (value.is_structured()) return value.is_array() ? "an array" : "an object";
  std::string text = value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  constexpr size_t kLongest = 40;
  if (text.size() > kLongest) return std::string("a long ") + value.type_name();
  return text;
}

[[noreturn]] void refuse(const std::string& name, const std::string& expected,
                         const nlohmann::json& value) {
  throw invalid_request(name + " must be " + expected + ", found " + found(value), name);
}

std::string plain(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

/// The integer that a JSON value is, when it is one that fits in 64 bits with sign.
std::optional<int64_t> as_integer(const nlohmann::json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<uint64_t>();
    if (number > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return std::nullopt;
    return static_cast<int64_t>(number);
  }
  if (value.is_number_integer()) return value.get<int64_t>();
  return std::nullopt;
}

}  // namespace

Fields::Fields(nlohmann::json object) : object_(std::move(object)) {}

const nlohmann::json& Fields::value(const std::string& name) {
  static const nlohmann::json null;
  asked_.insert(name);
  const auto found_at = object_.find(name);
  return found_at == object_.end() ? null : *found_at;
}

void Fields::ignore(const std::string& name) {
  asked_.insert(name);
}

std::optional<bool> Fields::boolean(const std::string& name) {
  const nlohmann::json& field = value(name);
  if (field.is_null()) return std::nullopt;
  if (!field.is_boolean()) refuse(name, "true or false", field);
  return field.get<bool>();
}

std::optional<int64_t> Fields::integer(const std::string& name, int64_t low, int64_t high) {
  const nlohmann::json& field = value(name);
  if (field.is_null()) return std::nullopt;
  const auto number = as_integer(field);
  if (!number || *number < low || *number > high) {
    refuse(name, "an integer in [" + std::to_string(low) + ", " + std::to_string(high) + "]",
           field);
  }
  return number;
}

std::optional<double> Fields::number(const std::string& name, double low, double high) {
  const nlohmann::json& field = value(name);
  if (field.is_null()) return std::nullopt;
  const double number = field.is_number() ? field.get<double>() : std::nan("");
  if (!std::isfinite(number) || number < low || number > high) {
    refuse(name, "a number in [" + plain(low) + ", " + plain(high) + "]", field);
  }
  return number;
}

std::optional<std::string> Fields::text(const std::string& name) {
  const nlohmann::json& field = value(name);
  if (field.is_null()) return std::nullopt;
  if (!field.is_string()) refuse(name, "a string", field);
  return field.get<std::string>();
}

std::optional<std::vector<std::string>> Fields::texts(const std::string& name) {
  const nlohmann::json& field = value(name);
  if (field.is_null()) return std::nullopt;
  if (!field.is_array()) refuse(name, "an array of strings", field);
  std::vector<std::string> result;
  for (const auto& item : field) {
    if (!item.is_string()) refuse(name, "an array of strings", item);
    result.push_back(item.get<std::string>());
  }
  return result;
}

std::optional<std::vector<int32_t>> Fields::ids(const std::string& name) {
  const nlohmann::json& field = value(name);
  if (field.is_null()) return std::nullopt;
  return ids_of(field, name);
}

std::optional<std::vector<std::vector<int32_t>>> Fields::id_lists(const std::string& name) {
  const nlohmann::json& field = value(name);
  if (field.is_null()) return std::nullopt;
  if (!field.is_array()) refuse(name, "an array of arrays of token ids", field);
  std::vector<std::vector<int32_t>> result;
  for (const auto& list : field) result.push_back(ids_of(list, name));
  return result;
}

std::optional<Fields> Fields::object(const std::string& name) {
  const nlohmann::json& field = value(name);
  if (field.is_null()) return std::nullopt;
  if (!field.is_object()) refuse(name, "an object", field);
  return Fields(field);
}

std::vector<std::string> Fields::unknown() const {
  std::vector<std::string> names;
  for (const auto& [name, ignored] : object_.items()) {
    if (!asked_.contains(name)) names.push_back(name);
  }
  return names;
}

std::vector<int32_t> ids_of(const nlohmann::json& list, const std::string& param) {
  if (!list.is_array()) refuse(param, "an array of token ids", list);
  std::vector<int32_t> ids;
  ids.reserve(list.size());
  for (const auto& item : list) {
    const auto id = as_integer(item);
    if (!id || *id < 0 || *id > std::numeric_limits<int32_t>::max()) {
      refuse(param, "an array of token ids (integers from 0)", item);
    }
    ids.push_back(static_cast<int32_t>(*id));
  }
  return ids;
}

}  // namespace mesita::http
