#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "training/run_config.h"

namespace mesita::training {

/// Collects field values from a JSON document and the command line, by dotted name, then assigns
/// them. All errors are std::invalid_argument.
class FieldReader {
 public:
  /// `config` only lends its field names.
  explicit FieldReader(RunConfig& config);
  ~FieldReader();

  /// A JSON object; "" counts as {}.
  void read_document(std::string_view json);
  /// Replaces what was read for that field before.
  void read_override(const FieldOverride& override_);
  /// Checks types and ranges, and writes the values.
  void assign(RunConfig& config) const;

 private:
  void collect(const std::string& prefix, const nlohmann::json& value);
  std::string full_name(std::string name) const;

  std::vector<std::string> names_;
  std::map<std::string, nlohmann::json> values_;
  std::map<std::string, std::string> raw_;  // overrides, not yet typed
};

/// The candidate with the smallest edit distance to `name`, for "did you mean"; "" without any.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace mesita::training
