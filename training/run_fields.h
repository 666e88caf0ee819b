#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "training/run_config.h"

namespace mesita::training {

/// Inclusive bounds of a number.
struct Range {
  double least = 0.0;
  double most = std::numeric_limits<double>::max();
};

/// A double holds every whole number up to here.
constexpr double kLargestSeed = 9e15;

/// Visits the fields of a RunConfig by name and reference: reading, writing and describing a config
/// are three visitors of one list.
class FieldVisitor {
 public:
  virtual ~FieldVisitor() = default;
  virtual void integer(std::string_view name, int64_t& value, Range range,
                       std::string_view meaning) = 0;
  virtual void number(std::string_view name, double& value, Range range,
                      std::string_view meaning) = 0;
  virtual void truth(std::string_view name, bool& value, std::string_view meaning) = 0;
  virtual void text(std::string_view name, std::string& value, std::string_view meaning) = 0;
  virtual void list(std::string_view name, std::vector<std::string>& value,
                    std::string_view meaning) = 0;
  /// `index` into `names`.
  virtual void choice(std::string_view name, size_t& index, std::span<const std::string_view> names,
                      std::string_view meaning) = 0;
};

/// Every field, in the order of the written config. A new field is one line here.
void visit_fields(RunConfig& config, FieldVisitor& visitor);

}  // namespace mesita::training
