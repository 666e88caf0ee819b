#include "training/field_reader.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "training/run_fields.h"

namespace mesita::training {
namespace {

using nlohmann::json;

[[noreturn]] void refuse(const std::string& message) {
  throw std::invalid_argument("run config: " + message);
}

std::string leaf(const std::string& name) {
  return name.substr(name.rfind('.') + 1);
}

class NameCollector final : public FieldVisitor {
 public:
  std::vector<std::string> names;
  void integer(std::string_view name, int64_t&, Range, std::string_view) override { add(name); }
  void number(std::string_view name, double&, Range, std::string_view) override { add(name); }
  void truth(std::string_view name, bool&, std::string_view) override { add(name); }
  void text(std::string_view name, std::string&, std::string_view) override { add(name); }
  void list(std::string_view name, std::vector<std::string>&, std::string_view) override {
    add(name);
  }
  void choice(std::string_view name, size_t&, std::span<const std::string_view>,
              std::string_view) override {
    add(name);
  }

 private:
  void add(std::string_view name) { names.emplace_back(name); }
};

class Assigner final : public FieldVisitor {
 public:
  Assigner(const std::map<std::string, json>& values, const std::map<std::string, std::string>& raw)
      : values_(values), raw_(raw) {}

  void integer(std::string_view name, int64_t& value, Range range, std::string_view) override {
    double wide = static_cast<double>(value);
    if (!read_number(name, wide, range, "a whole number")) return;
    if (wide != std::floor(wide)) wrong(name, "a whole number");
    value = static_cast<int64_t>(wide);
  }
  void number(std::string_view name, double& value, Range range, std::string_view) override {
    read_number(name, value, range, "a number");
  }
  void truth(std::string_view name, bool& value, std::string_view) override {
    const auto found = typed(name);
    if (found.is_null()) return;
    if (!found.is_boolean()) wrong(name, "true or false");
    value = found.get<bool>();
  }
  void text(std::string_view name, std::string& value, std::string_view) override {
    json found = worded(name);
    if (found.is_null()) return;
    if (name == "trained" && found.is_array()) found = joined(found);
    if (!found.is_string()) wrong(name, "a text");
    value = found.get<std::string>();
  }
  void list(std::string_view name, std::vector<std::string>& value, std::string_view) override {
    json found = worded(name);
    if (found.is_null()) return;
    if (found.is_string()) {
      const std::string text = found.get<std::string>();
      found = json::array({text});
      if (text.starts_with('[') && json::accept(text)) found = json::parse(text);
    }
    if (!is_list_of_texts(found)) wrong(name, "a list of texts");
    value = found.get<std::vector<std::string>>();
  }
  void choice(std::string_view name, size_t& index, std::span<const std::string_view> names,
              std::string_view) override {
    const json found = worded(name);
    if (found.is_null()) return;
    std::string allowed;
    for (size_t i = 0; i < names.size(); ++i) {
      if (found.is_string() && found.get<std::string>() == names[i]) {
        index = i;
        return;
      }
      allowed += (i == 0 ? "" : ", ") + std::string(names[i]);
    }
    wrong(name, "one of: " + allowed);
  }

 private:
  // Command-line text as JSON where it is some (numbers, true), else null.
  json typed(std::string_view name) const {
    const std::string key(name);
    if (const auto raw = raw_.find(key); raw != raw_.end()) {
      json value = json::parse(raw->second, nullptr, /*allow_exceptions=*/false);
      return value.is_discarded() ? json(raw->second) : value;
    }
    const auto found = values_.find(key);
    if (found == values_.end()) return nullptr;
    if (found->second.is_null()) wrong(name, "a value");
    return found->second;
  }
  // Command-line text as it stands.
  json worded(std::string_view name) const {
    const auto raw = raw_.find(std::string(name));
    return raw != raw_.end() ? json(raw->second) : typed(name);
  }
  [[noreturn]] void wrong(std::string_view name, const std::string& allowed) const {
    const std::string key(name);
    const auto raw = raw_.find(key);
    const std::string shown =
        raw != raw_.end() ? "'" + raw->second + "'"
                          : values_.at(key).dump(-1, ' ', true, json::error_handler_t::replace);
    refuse(key + " is " + shown.substr(0, 80) + "; allowed: " + allowed);
  }
  bool read_number(std::string_view name, double& value, Range range, const char* kind) const {
    const json found = typed(name);
    if (found.is_null()) return false;
    char allowed[120];
    std::snprintf(allowed, sizeof allowed, "%s from %.15g to %.15g", kind, range.least, range.most);
    if (!found.is_number()) wrong(name, allowed);
    value = found.get<double>();
    if (!(value >= range.least && value <= range.most)) wrong(name, allowed);
    return true;
  }
  static bool is_list_of_texts(const json& value) {
    return value.is_array() && std::all_of(value.begin(), value.end(),
                                           [](const json& each) { return each.is_string(); });
  }
  static json joined(const json& list) {
    if (!is_list_of_texts(list)) return list;
    std::string all;
    for (const json& each : list) all += (all.empty() ? "" : ",") + each.get<std::string>();
    return all;
  }

  const std::map<std::string, json>& values_;
  const std::map<std::string, std::string>& raw_;
};

}  // namespace

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  std::string best;
  size_t best_distance = std::string::npos;
  for (const std::string& candidate : candidates) {
    std::vector<size_t> row(candidate.size() + 1);  // Levenshtein, one row at a time
    for (size_t j = 0; j <= candidate.size(); ++j) row[j] = j;
    for (size_t i = 1; i <= name.size(); ++i) {
      size_t diagonal = row[0];
      row[0] = i;
      for (size_t j = 1; j <= candidate.size(); ++j) {
        const size_t replaced = diagonal + (name[i - 1] == candidate[j - 1] ? 0 : 1);
        diagonal = row[j];
        row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = candidate;
    }
  }
  return best;
}

FieldReader::FieldReader(RunConfig& config) {
  NameCollector collector;
  visit_fields(config, collector);
  names_ = std::move(collector.names);
}

FieldReader::~FieldReader() = default;

void FieldReader::read_document(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == text.npos) return;
  std::vector<std::set<std::string>> keys;  // of the objects that are open
  std::string twice;
  json document;
  try {
    document = json::parse(text, [&](int, json::parse_event_t event, json& value) {
      if (event == json::parse_event_t::object_start) keys.emplace_back();
      if (event == json::parse_event_t::object_end) keys.pop_back();
      if (event == json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second)
        twice = value.get<std::string>();
      return true;
    });
  } catch (const json::exception& error) {
    const std::string_view reason = error.what();  // behind the library's "[json...] "
    refuse("not JSON: " + std::string(reason.substr(reason.find("] ") + 2)));
  }
  if (!twice.empty()) refuse("the key '" + twice + "' is given twice");
  if (!document.is_object()) refuse("the document must be a JSON object of fields");
  for (const auto& [key, value] : document.items()) collect(key, value);
}

void FieldReader::collect(const std::string& prefix, const json& value) {
  const bool known = std::find(names_.begin(), names_.end(), prefix) != names_.end();
  const bool section = std::any_of(names_.begin(), names_.end(), [&](const std::string& name) {
    return name.starts_with(prefix + ".");
  });
  if (section) {
    if (!value.is_object()) refuse(prefix + " must be an object of fields");
    for (const auto& [key, inner] : value.items()) collect(prefix + "." + key, inner);
  } else if (known) {
    values_[prefix] = value;
  } else {
    std::vector<std::string> candidates = names_;
    for (const std::string& name : names_) {
      if (const size_t dot = name.rfind('.'); dot != name.npos)
        candidates.push_back(name.substr(0, dot));
    }
    refuse("unknown key '" + prefix.substr(0, 80) + "'; the nearest is '" +
           nearest_name(prefix.substr(0, 80), candidates) + "'");
  }
}

std::string FieldReader::full_name(std::string name) const {
  std::replace(name.begin(), name.end(), '-', '_');
  std::vector<std::string> matches;
  for (const std::string& known : names_) {
    if (known == name) return known;
    if (leaf(known) == name) matches.push_back(known);
  }
  if (matches.size() == 1) return matches[0];
  if (matches.size() > 1) {
    std::string all;
    for (const std::string& each : matches) all += (all.empty() ? "--" : ", --") + each;
    refuse("--" + name + " may mean " + all + ": write one of these");
  }
  std::vector<std::string> candidates = names_;
  for (const std::string& known : names_) candidates.push_back(leaf(known));
  refuse("unknown option --" + name.substr(0, 80) + "; the nearest is --" +
         nearest_name(name.substr(0, 80), candidates));
}

void FieldReader::read_override(const FieldOverride& override_) {
  raw_[full_name(override_.name)] = override_.value;
}

void FieldReader::assign(RunConfig& config) const {
  Assigner assigner(values_, raw_);
  visit_fields(config, assigner);
}

}  // namespace mesita::training
