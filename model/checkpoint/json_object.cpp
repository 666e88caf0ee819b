#include "model/checkpoint/json_object.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

namespace mesita::checkpoint {

namespace {

// Levenshtein's distance.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({replaced, row[j] + 1, row[j - 1] + 1}));
    }
  }
  return row[b.size()];
}

std::string excerpt(const nlohmann::json& value) {
  constexpr size_t kLongest = 60;
  std::string text = value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
  return text;
}

[[noreturn]] void refuse(const std::string& where, std::string_view key,
                         const nlohmann::json& found, std::string_view expected) {
  throw std::runtime_error(where + ": \"" + std::string(key) + "\" is " + excerpt(found) +
                           ": it must be " + std::string(expected));
}

}  // namespace

JsonObject::JsonObject(const nlohmann::json& value, std::string where)
    : value_(&value), where_(std::move(where)) {
  if (!value.is_object()) {
    throw std::runtime_error(where_ + " is " + excerpt(value) + ": it must be a JSON object");
  }
}

void JsonObject::allow_only(std::span<const std::string_view> known) const {
  for (const auto& [key, value] : value_->items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const std::string_view compared = std::string_view(key).substr(0, 100);
    const auto nearest = std::min_element(known.begin(), known.end(), [&](auto a, auto b) {
      return distance(a, compared) < distance(b, compared);
    });
    throw std::runtime_error(where_ + ": unknown key " + excerpt(key) +
                             ": the nearest known one is \"" + std::string(*nearest) + "\"");
  }
}

bool JsonObject::has(std::string_view key) const {
  return value_->contains(key);
}

const nlohmann::json& JsonObject::at(std::string_view key) const {
  const auto found = value_->find(key);
  if (found == value_->end()) {
    throw std::runtime_error(where_ + ": the key \"" + std::string(key) + "\" is missing: add it");
  }
  return *found;
}

int64_t JsonObject::integer(std::string_view key) const {
  const nlohmann::json& value = at(key);
  const bool fits = value.is_number_integer() &&
                    (!value.is_number_unsigned() ||
                     value.get<uint64_t>() <= uint64_t{std::numeric_limits<int64_t>::max()});
  if (!fits) refuse(where_, key, value, "an integer");
  return value.get<int64_t>();
}

uint64_t JsonObject::unsigned_integer(std::string_view key) const {
  const nlohmann::json& value = at(key);
  if (!value.is_number_unsigned()) refuse(where_, key, value, "an integer from 0 to 2^64 - 1");
  return value.get<uint64_t>();
}

std::optional<int64_t> JsonObject::integer_or_null(std::string_view key) const {
  if (at(key).is_null()) return std::nullopt;
  return integer(key);
}

double JsonObject::number(std::string_view key) const {
  const nlohmann::json& value = at(key);
  if (!value.is_number()) refuse(where_, key, value, "a number");
  return value.get<double>();
}

bool JsonObject::boolean(std::string_view key) const {
  const nlohmann::json& value = at(key);
  if (!value.is_boolean()) refuse(where_, key, value, "true or false");
  return value.get<bool>();
}

std::string JsonObject::text(std::string_view key) const {
  const nlohmann::json& value = at(key);
  if (!value.is_string()) refuse(where_, key, value, "a string");
  return value.get<std::string>();
}

JsonObject JsonObject::object(std::string_view key) const {
  return {at(key), where_ + ": " + std::string(key)};
}

void JsonObject::require_format(int64_t newest) const {
  const int64_t version = integer("format_version");
  if (version > newest) {
    throw std::runtime_error(where_ + " has format version " + std::to_string(version) +
                             ", and this program reads up to " + std::to_string(newest) +
                             ": use a newer mesita");
  }
  if (version < 1) {
    throw std::runtime_error(where_ + " has format version " + std::to_string(version) +
                             ", which never existed: it is damaged");
  }
}

}  // namespace mesita::checkpoint
